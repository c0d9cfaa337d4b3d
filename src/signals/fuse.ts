import type { Interrupt } from './interrupt.ts'

/** A signal that aborts with the first of several; holds listeners until it aborts or is disposed. */
export interface FusedSignal extends Disposable {
  readonly signal: AbortSignal
  abort(reason: unknown): void
}

/**
 * Fuses signals, and what can end a call from outside, under one controller of our own: an order of
 * magnitude cheaper per call than `AbortSignal.any`, and nothing is left on a long-lived signal
 * after `dispose`.
 */
export function fuseSignals(sources: readonly AbortSignal[], interrupt?: Interrupt): FusedSignal {
  return new Fuse(sources, interrupt)
}

class Fuse implements FusedSignal {
  readonly #controller = new AbortController()
  #releases: (() => void)[] = []

  constructor(sources: readonly AbortSignal[], interrupt: Interrupt | undefined) {
    if (interrupt !== undefined) {
      this.#releases.push(interrupt.onFire(() => this.abort(interrupt.reason)))
    }
    for (const source of sources) {
      if (this.signal.aborted) break
      if (source.aborted) {
        this.abort(source.reason)
        break
      }
      const listener = (): void => this.abort(source.reason)
      source.addEventListener('abort', listener, { once: true })
      this.#releases.push(() => source.removeEventListener('abort', listener))
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
    this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    const releases = this.#releases
    this.#releases = []
    for (const free of releases) free()
  }
}
