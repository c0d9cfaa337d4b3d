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

/** How often an error that nobody caught is reported to one call. */
export const MAX_STRAYS = 10

/** The log entry of an error that nobody caught. */
export function strayLog(error: unknown): string {
  const what = error instanceof Error ? error.message : String(error)
  const text = `unhandled rejection: ${what.slice(0, 1_024)}`
  return JSON.stringify({ k: 'log', level: 'error', text })
}
