import { setImmediate } from 'node:timers/promises'
import type { OperatorConfig } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { createConfiguredHost, type ConfiguredHost } from './configured-host.ts'
import type { ToolHost } from './create-tool-host.ts'
import type { ConfiguredFailure } from './load-configured.ts'
import type { HostOptions } from './spec.ts'

/** How each host of a reloadable one is made. */
export interface ReloadOptions {
  /** Called with what a configuration says, before anything that it names is loaded. */
  readonly read?: (configured: Pick<ConfiguredHost, 'operator' | 'secrets'>) => void
  /** Called with each new host before calls reach it, after its sources; a throw refuses the host. */
  readonly setup?: (host: ToolHost, operator: OperatorConfig) => void | Promise<void>
  /**
   * Calls reach `next` from now on. The host before is closed once the promise has resolved and its
   * calls have ended.
   */
  readonly replaced?: (next: ToolHost, before: ToolHost) => void | Promise<void>
  /** A host that was in force before is closed. */
  readonly closed?: (before: ToolHost) => void
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal
}

/**
 * A host whose configuration can be read again. What is in force is one host that never changes: its
 * rules, profiles, limits, secrets and sources change together, with the host.
 */
export interface ReloadableHost extends AsyncDisposable {
  /** The host in force. Ask for it for each call; the call keeps it until it has ended. */
  readonly current: ToolHost
  /** What the configuration in force says of sources and of serving. */
  readonly operator: OperatorConfig
  /** Sources that were left out at the start; a reload refuses to leave any out. */
  readonly failures: readonly ConfiguredFailure[]
  /**
   * Reads the configuration again and loads all of it, then switches. Rejects with what is wrong and
   * changes nothing. Calls made meanwhile share the next reload. `OVERLOADED`: calls of several
   * configurations before are still under way; `HOST_CLOSED`.
   */
  reload(): Promise<void>
  /** Ends every host. */
  close(): Promise<void>
}

/** Configurations before the one in force whose calls may still be under way. */
const MAX_RETIRING = 3

/** Creates the first host and loads what its configuration names. Throws `CONFIG_INVALID`. */
export async function createReloadableHost(
  options: HostOptions,
  { read, setup, replaced, closed: wasClosed, signal }: ReloadOptions = {},
): Promise<ReloadableHost> {
  const hosts = new Set<ToolHost>()
  let isClosed = false
  const end = async (host: ToolHost): Promise<void> => {
    await host.close()
    hosts.delete(host)
  }
  const prepare = async (isStrict: boolean): Promise<Prepared> => {
    const configured = await createConfiguredHost(options, { isReplaceable: true })
    const { host, operator, load } = configured
    hosts.add(host)
    try {
      read?.(configured)
      const { failures } = await load()
      const [first] = failures
      if (first !== undefined && isStrict) throw first.error
      await setup?.(host, operator)
      if (isClosed) throw closed()
      return { host, operator, failures }
    } catch (error) {
      await end(host)
      throw isClosed ? closed() : error
    }
  }
  const close = async (): Promise<void> => {
    isClosed = true
    await Promise.all([...hosts].map(end))
  }
  const stop = (): void => void close()
  signal?.addEventListener('abort', stop, { once: true })
  let inForce = await prepare(false)
  signal?.removeEventListener('abort', stop)
  const { failures } = inForce
  const retire = async (before: ToolHost, released: void | Promise<void>): Promise<void> => {
    // Who took the host in this turn has begun its call by the next.
    await setImmediate()
    await Promise.resolve(released).catch(() => undefined) // It is closed all the same.
    await before.idle()
    await end(before)
    wasClosed?.(before)
  }
  const replace = async (): Promise<void> => {
    if (isClosed) throw closed()
    if (hosts.size > MAX_RETIRING) throw tooMany()
    const next = await prepare(true)
    const before = inForce.host
    inForce = next
    void retire(before, replaced?.(next.host, before))
  }
  let closing: Promise<void> | undefined
  return {
    get current() {
      return inForce.host
    },
    get operator() {
      return inForce.operator
    },
    failures,
    reload: createTurns(replace),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
}

interface Prepared {
  readonly host: ToolHost
  readonly operator: OperatorConfig
  readonly failures: readonly ConfiguredFailure[]
}

/** One at a time; everybody who asks meanwhile shares the one that begins next. */
function createTurns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let queued: Promise<void> | undefined
  const begin = (): Promise<void> => {
    queued = undefined
    const mine = work().finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }
  return () => {
    if (running === undefined) return begin()
    queued ??= running.then(begin, begin)
    return queued
  }
}

function closed(): CaissonError {
  return new CaissonError('HOST_CLOSED', 'the host is closed')
}

function tooMany(): CaissonError {
  const text = `calls of ${MAX_RETIRING} configurations before are still under way; try again when they have ended`
  return new CaissonError('OVERLOADED', text)
}
