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
  return new CallInterrupt(signal)
}

class CallInterrupt implements Interrupt {
  readonly #signal: AbortSignal
  readonly #aborted = (): void => this.fire('ABORTED', this.#signal.reason)
  #listeners: (() => void)[] = []
  #code: InterruptCode | undefined
  #reason: unknown

  constructor(signal: AbortSignal) {
    this.#signal = signal
    if (signal.aborted) this.#aborted()
    else signal.addEventListener('abort', this.#aborted, { once: true })
  }

  get code(): InterruptCode | undefined {
    return this.#code
  }

  get reason(): unknown {
    return this.#reason
  }

  fire(code: InterruptCode, reason: unknown): void {
    if (this.#code !== undefined) return
    this.#code = code
    this.#reason = reason
    const told = this.#listeners
    this.#listeners = []
    for (const listener of told) listener()
  }

  onFire(listener: () => void): () => void {
    if (this.#code !== undefined) {
      listener()
      return NOTHING
    }
    this.#listeners.push(listener)
    return () => this.#forget(listener)
  }

  release(): void {
    this.#signal.removeEventListener('abort', this.#aborted)
  }

  #forget(listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at >= 0) this.#listeners.splice(at, 1)
  }
}

const NOTHING = (): void => undefined

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
