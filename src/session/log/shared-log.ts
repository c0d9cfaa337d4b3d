import { openSessionLog } from './open.ts'
import type { LineObserver, SessionLog, SessionLogOptions } from './session-log.ts'

/** One log file for several sessions at once; each hears of its own lines alone. */
export interface SharedLog {
  readonly path: string
  /** The log as one session sees it; closing it leaves the file open for the others. */
  join(options: SessionLogOptions): SessionLog
  [Symbol.dispose](): void
}

/** Key of the session option that holds one. */
export const SHARED_LOG: unique symbol = Symbol('shared log')

/** Opens the file. Throws what `openSessionLog` throws. */
export function openSharedLog(path: string, diagnostic: (text: string) => void): SharedLog {
  let writer: LineObserver | undefined
  const log = openSessionLog(path, { diagnostic, observe: (line) => writer?.(line) })
  return {
    path: log.path ?? path,
    join: ({ observe }) => ({
      path: log.path ?? path,
      get lastStep() {
        return log.lastStep
      },
      append(event) {
        // Who hears of a line may append the next one.
        const before = writer
        writer = observe
        try {
          return log.append(event)
        } finally {
          writer = before
        }
      },
      close: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
    [Symbol.dispose]: () => log.close(),
  }
}
