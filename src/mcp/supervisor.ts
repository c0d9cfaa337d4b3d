import { setTimeout as wait } from 'node:timers/promises'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import type { Connection } from './connection.ts'
import { toReason } from './reason.ts'

/** Keeps one server running: started when it is needed, and again, with more and more patience. */
export interface Supervisor {
  /** The running server. Rejects with `ENGINE_UNAVAILABLE` when it cannot be had. */
  connection(signal: AbortSignal): Promise<Connection>
  /** The running server has answered a call: when it ends it is started again at once. */
  worked(): void
  /** Ends what runs under a call that cannot be stopped otherwise. */
  kill(why: string): void
  close(): Promise<void>
}

export interface SupervisorSpec {
  start(): Promise<Connection>
  /** Told of a server that has started, before anybody uses it. */
  started(connection: Connection): Promise<void>
  diagnose(text: string): void
  readonly graceMs: number
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
const MAX_TRIES = 10
/** A server that lived so long is taken for a healthy one. */
const HEALTHY_MS = 30_000

/** Creates the supervisor of one server; nothing is started yet. */
export function createSupervisor(spec: SupervisorSpec): Supervisor {
  let live: Connection | undefined
  let starting: Promise<Connection> | undefined
  let failures = 0
  let notBefore = 0
  let hasWorked = false
  let closed = false
  const failed = (why: string): void => {
    failures += 1
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1))
    notBefore = performance.now() + ms
    spec.diagnose(`${why}; it is started again after ${ms} ms, when it is needed`)
  }
  const watch = (connection: Connection): void => {
    const born = performance.now()
    void connection.ended.then((death) => {
      if (live === connection) live = undefined
      if (closed) return
      const why = `the server has ended (${death?.cause ?? 'its connection was closed'})`
      if (hasWorked) {
        failures = 0
        return spec.diagnose(`${why}; it is started again when it is needed`)
      }
      if (performance.now() - born > HEALTHY_MS) failures = 0
      failed(why)
    })
  }
  const start = async (): Promise<Connection> => {
    try {
      const connection = await spec.start()
      try {
        await spec.started(connection)
      } catch (error) {
        // Nobody knows of it yet, so nobody else would end it.
        await connection.close(spec.graceMs)
        throw toUnusable(error)
      }
      live = connection
      hasWorked = false
      watch(connection)
      return connection
    } catch (error) {
      if (!closed) failed(error instanceof Error ? error.message : 'it could not be started')
      throw error
    }
  }
  return {
    async connection(signal) {
      if (closed) throw unavailable('it was unloaded')
      if (live !== undefined && !live.hasEnded) return live
      if (failures >= MAX_TRIES) throw unavailable(`it could not be started ${failures} times`)
      const patience = notBefore - performance.now()
      if (patience > 0 && starting === undefined) {
        await wait(patience, undefined, { signal }).catch(() => undefined)
        if (signal.aborted) throw unavailable('nobody waits for it any more')
      }
      if (live !== undefined && !live.hasEnded) return live
      starting ??= start().finally(() => (starting = undefined))
      return await unlessAborted(starting, signal)
    },
    worked: () => void (hasWorked = true),
    kill: (why) => live?.kill(why),
    async close() {
      closed = true
      const connection = live ?? (await starting?.catch(() => undefined))
      await connection?.close(spec.graceMs)
    },
  }
}

/** A start may outlive the call that caused it; the next one finds what came of it. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const leave = (): void => reject(unavailable('nobody waits for it any more'))
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function toUnusable(error: unknown): CaissonError {
  if (isCaissonError(error)) return error
  return new CaissonError('ENGINE_UNAVAILABLE', `the server cannot be used: ${toReason(error)}`)
}

function unavailable(why: string): CaissonError {
  return new CaissonError('ENGINE_UNAVAILABLE', `the server of this tool is not there: ${why}`)
}
