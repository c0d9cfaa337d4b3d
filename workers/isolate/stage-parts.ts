import { writeSync } from 'node:fs'
import type IsolatedVm from 'isolated-vm'
import type { HostMessage, RunnerMessage } from './protocol.ts'

export type OpenMessage = HostMessage & { t: 'open' }

/** What a runner does after `open`. */
export interface Stage {
  receive(message: HostMessage): void
}

export interface StageIo {
  post(message: Record<string, unknown> & { t: RunnerMessage['t'] }, raw?: string): void
  /** Hex, of 32 random bytes. */
  seed(): string
}

/**
 * Creates an isolate that ends the process when the engine cannot go on; `where` says which one it was
 * where there are several.
 */
export function createIsolate(
  ivm: typeof IsolatedVm,
  memoryMb: number,
  where: string = '',
): IsolatedVm.Isolate {
  return new ivm.Isolate({
    memoryLimit: memoryMb,
    onCatastrophicError: (message) => {
      writeSync(2, `caisson-runner: catastrophe: ${where}${message}\n`)
      process.abort()
    },
  })
}

/** How often an error that nobody caught is reported to one call. */
export const MAX_STRAYS = 10

/** The log entry of an error that nobody caught. */
export function strayLog(error: unknown): string {
  const what = error instanceof Error ? error.message : String(error)
  const text = `unhandled rejection: ${what.slice(0, 1_024)}`
  return JSON.stringify({ k: 'log', level: 'error', text })
}
