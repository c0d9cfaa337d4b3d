import type { FileGates, RememberingGates } from '../broker/fs/gates.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import type { Call } from '../pipeline/call.ts'
import type { Listener } from '../registry/hub.ts'
import { collectListeners } from '../registry/scope.ts'
import { createDeadline } from '../signals/deadline.ts'
import type { CapabilityContext } from '../types/capability.ts'
import type { FileObservation, FileTarget } from '../types/events.ts'
import type { EditIntent, WriteIntent } from '../types/file-gates.ts'
import { toThrownRecord } from '../../workers/shared/thrown.ts'

export interface FileGatesHost {
  /** The call that asks. */
  callOf(context: CapabilityContext): Call | undefined
  /** Records what was seen and tells listeners; a listener that throws is a diagnostic. */
  observed(call: Call, target: FileTarget, observation: FileObservation): void
  readonly timeoutMs: number
}

/**
 * The gates as listeners see them, with `rest` behind the last of them. A listener that answers
 * anything else than an intent, or throws, refuses the change: `BAD_DECISION`, or its own `FS_*`.
 */
export function createFileGates(
  host: FileGatesHost,
  rest: RememberingGates,
  readBeforeEdit: boolean,
): FileGates {
  const ask = async <I extends object>(
    event: string,
    target: FileTarget,
    context: CapabilityContext,
    gate: { parse(answer: unknown): I; rest(): I | undefined | Promise<I | undefined> },
  ): Promise<I | undefined> => {
    const call = host.callOf(context)
    const listeners = call === undefined ? [] : collectListeners(call.scope, event)
    if (call === undefined || listeners.length === 0) return gate.rest()
    const runFrom = async (at: number): Promise<I | undefined> => {
      const listener = listeners[at]
      if (listener === undefined) return gate.rest()
      let asked = false
      const next = (): Promise<I | undefined> => {
        if (asked) throw new Error(`'${listener.name}' called next() a second time`)
        asked = true
        return runFrom(at + 1)
      }
      const answer = await enter(event, listener, [target, call.exec, next])
      if (answer === undefined) return undefined
      try {
        return gate.parse(answer)
      } catch {
        throw refuse(event, listener, 'must return an intent or undefined')
      }
    }
    return within(host.timeoutMs, event, runFrom(0))
  }
  return {
    writeIntent: (target, context) =>
      ask('fs/write-intent', target, context, {
        parse: parseWriteIntent,
        rest: () => (readBeforeEdit ? rest.writeIntent(target, context) : undefined),
      }),
    editIntent: (target, context) =>
      ask('fs/edit-intent', target, context, {
        parse: parseEditIntent,
        rest: () => (readBeforeEdit ? rest.editIntent(target, context) : undefined),
      }),
    observed(target, observation, context) {
      rest.observed(target, observation, context)
      const call = host.callOf(context)
      if (call !== undefined) host.observed(call, target, observation)
    },
  }
}

async function enter(event: string, listener: Listener, args: unknown[]): Promise<unknown> {
  try {
    return await (Reflect.apply(listener.fn, undefined, args) as unknown)
  } catch (thrown) {
    if (isCaissonError(thrown) && thrown.code.startsWith('FS_')) throw thrown
    if (isCaissonError(thrown) && thrown.facts['phase'] === event) throw thrown // From behind it.
    throw refuse(event, listener, `failed: ${toThrownRecord(thrown).message}`)
  }
}

function refuse(event: string, { name, by }: Listener, what: string): CaissonError {
  const text = `policy listener '${name}' of ${event} ${what}`
  return new CaissonError('BAD_DECISION', text, { by, listener: name, phase: event })
}

async function within<T>(timeoutMs: number, event: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  using _deadline = createDeadline(timeoutMs, () =>
    late.reject(
      new CaissonError('POLICY_TIMEOUT', `${event} had no answer within ${timeoutMs} ms`, {
        phase: event,
      }),
    ),
  )
  return await Promise.race([work, late.promise])
}

function parseWriteIntent(answer: unknown): WriteIntent {
  const { kind, version, ...more } = answer as Record<string, unknown>
  if (Object.keys(more).length > 0) throw new TypeError('unknown keys')
  if (kind === 'createIfAbsent' && version === undefined) return { kind }
  if (kind === 'replaceIfVersion' && typeof version === 'string') return { kind, version }
  throw new TypeError('no write intent')
}

function parseEditIntent(answer: unknown): EditIntent {
  const { version, ...more } = answer as Record<string, unknown>
  if (typeof version !== 'string' || Object.keys(more).length > 0) throw new TypeError('no intent')
  return { version }
}
