import type { ErrorCode } from '../errors/codes.ts'

/** Why a call is being ended from outside. */
export type InterruptCode = Extract<ErrorCode, 'ABORTED' | 'HOST_CLOSED' | 'AGENT_DISPOSED'>

/**
 * One call's view of everything that can end it from outside: its caller's signal, its parent, its
 * agent, its host. The first cause wins and later ones change nothing.
 */
export interface Interrupt {
  readonly code: InterruptCode | undefined
  readonly reason: unknown
  /** Ends the call for a cause that is not its caller's signal. */
  fire(code: InterruptCode, reason: unknown): void
  /** Calls back once, at once when it has already fired. Returns a function that takes it back. */
  onFire(listener: () => void): () => void
  /** Leaves the caller's signal as it was found. */
  release(): void
}

/** Creates the interrupt of a call; it listens to `signal` until `release()`. */
export function createInterrupt(signal: AbortSignal): Interrupt {
  const listeners = new Set<() => void>()
  let code: InterruptCode | undefined
  let reason: unknown
  const fire = (given: InterruptCode, why: unknown): void => {
    if (code !== undefined) return
    code = given
    reason = why
    for (const listener of [...listeners]) listener()
    listeners.clear()
  }
  const aborted = (): void => fire('ABORTED', signal.reason)
  if (signal.aborted) aborted()
  else signal.addEventListener('abort', aborted, { once: true })
  return {
    get code() {
      return code
    },
    get reason() {
      return reason
    },
    fire,
    onFire(listener) {
      if (code !== undefined) {
        listener()
        return () => undefined
      }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    release: () => signal.removeEventListener('abort', aborted),
  }
}

/** What happened first: the work settled, or the interrupt fired. The work's rejection passes. */
export function untilInterrupted<T>(
  work: Promise<T>,
  interrupt: Interrupt,
): Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'interrupted' }> {
  return new Promise((resolve, reject) => {
    const off = interrupt.onFire(() => resolve({ kind: 'interrupted' }))
    // A policy that answers after the abort is ignored, also when it throws.
    work.then(
      (value) => {
        off()
        resolve({ kind: 'done', value })
      },
      (error: unknown) => {
        off()
        reject(error)
      },
    )
  })
}
