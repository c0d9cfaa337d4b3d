import { CaissonError } from '../../errors/caisson-error.ts'
import type { RunnerLaunch } from './runner-launch.ts'

/** Somebody who needs a runner that holds `key`, or a blank one of `launch`. */
export interface Waiter<T> {
  readonly key: string
  readonly launch: RunnerLaunch
  /** Hands over what was waited for. */
  give(item: T): void
  /** A runner that was started at `startedAt`, by `performance.now()`, has died while it booted. */
  failed(startedAt: number): void
}

export interface WaitRequest {
  readonly key: string
  readonly launch: RunnerLaunch
  readonly signal: AbortSignal | undefined
}

/** Those who wait for a runner, in order of arrival. */
export interface WaitingLine<T> {
  readonly waiters: readonly Waiter<T>[]
  /** Rejects with `ENGINE_UNAVAILABLE` when it takes too long, runners keep dying, or `signal` aborts. */
  join(request: WaitRequest): Promise<T>
  /** Nobody waits any longer. */
  dissolve(): void
}

/** A runner that died while it booted says nothing about the next one; two of them do. */
const MAX_FAILURES = 2

/** Creates an empty line; a wait ends after `timeoutMs`. */
export function createWaitingLine<T>(timeoutMs: number): WaitingLine<T> {
  const waiters: (Waiter<T> & { end(why: string): void })[] = []
  const join = ({ key, launch, signal }: WaitRequest): Promise<T> =>
    new Promise((resolve, reject) => {
      let failures = 0
      let lastFailure = -Infinity
      const leave = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        const at = waiters.indexOf(waiter)
        if (at >= 0) waiters.splice(at, 1)
      }
      const waiter = {
        key,
        launch,
        give(item: T) {
          leave()
          resolve(item)
        },
        failed(startedAt: number) {
          // Whatever ended several at once is one failure.
          if (startedAt < lastFailure) return
          lastFailure = performance.now()
          failures += 1
          if (failures === MAX_FAILURES) waiter.end('it dies while it starts')
        },
        end(why: string) {
          leave()
          reject(new CaissonError('ENGINE_UNAVAILABLE', `the sandbox runner did not start: ${why}`))
        },
      }
      const aborted = (): void => waiter.end('nobody waits for it')
      const timer = setTimeout(() => waiter.end(`it was not ready in ${timeoutMs} ms`), timeoutMs)
      signal?.addEventListener('abort', aborted, { once: true })
      waiters.push(waiter)
      if (signal?.aborted === true) aborted()
    })
  return {
    waiters,
    join,
    dissolve() {
      for (const waiter of [...waiters]) waiter.end('the host is closed')
    },
  }
}
