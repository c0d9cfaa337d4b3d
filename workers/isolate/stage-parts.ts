import { writeSync } from 'node:fs'
import type IsolatedVm from 'isolated-vm'
import { toKnownSchemas, type KnownSchemas } from '../shared/known-schemas.ts'
import type { HostMessage, RunnerMessage } from './protocol.ts'
import type { WarmIsolate } from './warm-isolate.ts'

export type OpenMessage = HostMessage & { readonly t: 'open'; readonly realm: string }

/** What a runner does after `open`. */
export interface Stage {
  receive(message: HostMessage): void
}

export interface StageIo {
  post(message: Record<string, unknown> & { t: RunnerMessage['t'] }, raw?: string): void
  /** Sends what `work` posts with one write when it is done: each wakes the host. */
  together(work: () => void): void
  /** Hex, of 32 random bytes. */
  seed(): string
  /** What the runner has ready for the realm of the open message. */
  readonly warmed?: WarmIsolate
}

/** Creates an isolate that ends the process when the engine cannot go on. */
export function createIsolate(
  ivm: typeof IsolatedVm,
  memoryMb: number,
  options: IsolateOptions = {},
): IsolatedVm.Isolate {
  const { threadOf: where } = options
  // Told to call back, the library stops the thread that failed and tells the main thread; where that
  // is the same one, nobody would ever hear of it. By itself it aborts.
  if (where === undefined) return new ivm.Isolate({ memoryLimit: memoryMb })
  return new ivm.Isolate({
    memoryLimit: memoryMb,
    onCatastrophicError: (message) => {
      writeSync(2, `caisson-runner: catastrophe: ${where}: ${message}\n`)
      process.abort()
    },
  })
}

export interface IsolateOptions {
  /** Set for an isolate that is entered on a thread of its own: how its end is told. */
  readonly threadOf?: string
}

/** The schemas in what a realm said of its source; what cannot be read holds none. */
export function knownFrom(described: string): KnownSchemas {
  try {
    const { tools } = JSON.parse(described) as { readonly tools?: unknown }
    return toKnownSchemas(tools)
  } catch {
    return {} // A tool has changed what writes the text; the host refuses it too.
  }
}

/** How many timers may come due while a bundle comes to rest before its call. */
export const MAX_TIMERS = 1_000
const MAX_STRAYS = 10

/** Runs the realm in a new context. What comes back enters it, and nothing else can from then on. */
export function bootRealm(
  context: IsolatedVm.Context,
  realm: IsolatedVm.Script,
  { send, boot }: { readonly send: IsolatedVm.Callback; readonly boot: object },
): IsolatedVm.Reference {
  const { global } = context
  global.setSync('__caisson_send', send)
  global.setSync('__caisson_boot', JSON.stringify(boot))
  realm.runSync(context)
  const dispatch = global.getSync('__caisson_dispatch', { reference: true })
  global.deleteSync('__caisson_dispatch')
  return dispatch
}

/** A call, as far as errors that nobody caught concern it. */
export interface StrayCount {
  settled: boolean
  /** How many were reported. */
  strays: number
}

/** Reports an error that nobody caught to the call `id` it comes from: while it runs, and ten of them. */
export function reportStray(
  io: StageIo,
  id: string | undefined,
  call: StrayCount,
  error: unknown,
): void {
  if (id === undefined || call.settled || call.strays === MAX_STRAYS) return
  call.strays += 1
  const what = error instanceof Error ? error.message : String(error)
  const text = `unhandled rejection: ${what.slice(0, 1_024)}`
  io.post({ t: 'event', id }, JSON.stringify({ k: 'log', level: 'error', text }))
}
