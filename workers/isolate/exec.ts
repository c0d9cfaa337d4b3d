// Runs inside hostile realms: everything used after tool code has run is captured at the top.
import { writeOwn } from '../../src/json/intrinsics.ts'
import { DEFAULT_JSON_LIMITS } from '../../src/json/limits.ts'
import { writeJson } from '../../src/json/write.ts'
import { CaissonError } from '../../src/errors/caisson-error.ts'
import type { CallLink } from './call-link.ts'
import type { RealmExec, RealmRequest } from './protocol.ts'

/** The call's own signal, abortable from outside only. */
export interface CallSignal {
  readonly signal: AbortSignal
  abort(reason: unknown): void
}

type Print = (...parts: unknown[]) => void

/** The console of the context as it was before tool code ran. */
export interface Printer {
  readonly debug: Print
  readonly info: Print
  readonly warn: Print
  readonly error: Print
}

const { freeze, hasOwn } = Object
const { apply } = Reflect
const RealPromise = Promise

/** The second argument of a body inside the realm: plain data, a signal, and what it may ask for. */
export function createExec(
  request: RealmRequest & { op: 'execute' },
  signal: AbortSignal,
  link: CallLink,
  printer: Printer,
): unknown {
  const { callId, rootCallId, name, agent } = request.exec
  return freeze({
    callId,
    rootCallId,
    name,
    arguments: request.args,
    signal,
    deferContext(message: unknown) {
      if (!link.isLive()) throw settled('deferContext')
      const text = writeJson(message, DEFAULT_JSON_LIMITS, 'context')
      if (!link.defer(text)) throw settled('deferContext')
    },
    concludeTurn() {
      link.post('{"k":"conclude"}')
    },
    log(...parts: unknown[]) {
      const first = parts[0]
      if (parts.length > 1 && typeof first === 'string' && hasOwn(printer, first)) {
        apply(printer[first as keyof Printer], undefined, withoutFirst(parts))
      } else {
        apply(printer.info, undefined, parts)
      }
    },
    progress: (update: unknown) => link.progress(update),
    ...(request.limits.kvBytes === undefined ? {} : { kv: createKv(link) }),
    ...(request.limits.toolCalls === true
      ? { callTool: (name: unknown, args: unknown) => link.request('tool', { name, args }) }
      : {}),
    ...(agent === undefined ? {} : { agent: createAgent(agent, link) }),
  })
}

/** Values that stay between calls; every one of them is the host's to keep. */
function createKv(link: CallLink): unknown {
  const ask = async (payload: unknown, field: string): Promise<unknown> => {
    const answer = (await link.request('kv', payload)) as Record<string, unknown>
    return hasOwn(answer, field) ? answer[field] : undefined
  }
  return freeze({
    get: (key: unknown) => ask({ op: 'get', key }, 'value'),
    set: (key: unknown, value: unknown) => ask({ op: 'set', key, value }, 'none'),
    delete: (key: unknown) => ask({ op: 'delete', key }, 'deleted'),
    list: (prefix: unknown = '') => ask({ op: 'list', prefix }, 'keys'),
  })
}

function createAgent(agent: NonNullable<RealmExec['agent']>, link: CallLink): unknown {
  return freeze({
    id: agent.id,
    session: freeze({
      id: agent.sessionId,
      header: freeze({ cwd: '/workspace' }),
      events: freeze([]),
    }),
    inject: (message: unknown) =>
      new RealPromise((resolve, reject) => {
        const sent = link.request('inject', message)
        // Ignoring the answer is harmless: the rejection of the outer promise is the body's own.
        void (async () => {
          try {
            resolve(await sent)
          } catch (error) {
            reject(error)
          }
        })()
      }),
  })
}

function withoutFirst(parts: readonly unknown[]): unknown[] {
  const rest: unknown[] = []
  for (let index = 1; index < parts.length; index += 1) writeOwn(rest, index - 1, parts[index])
  return rest
}

function settled(what: string): CaissonError {
  return new CaissonError('PROTOCOL_ERROR', `${what}(): the body has settled or asked too often`)
}
