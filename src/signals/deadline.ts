/** A countdown on the monotonic clock that can be paused; it expires once. */
export interface Deadline extends Disposable {
  /** True once the time is over, also when a blocked event loop has kept the timer from firing. */
  readonly expired: boolean
  /** Pauses nest: the clock goes on when each has been resumed. */
  pause(): void
  resume(): void
}

/** Starts a countdown of `ms` milliseconds; `expire` is called at most once, never after disposal. */
export function createDeadline(ms: number, expire: () => void): Deadline {
  return new Countdown(ms, expire)
}

class Countdown implements Deadline {
  readonly #expire: () => void
  #left: number
  #since = 0
  #pauses = 0
  #state: 'running' | 'expired' | 'disposed' = 'running'
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, expire: () => void) {
    this.#left = ms
    this.#expire = expire
    this.#arm()
  }

  get expired(): boolean {
    const isRunning = this.#state === 'running' && this.#pauses === 0
    if (isRunning && performance.now() - this.#since >= this.#left) this.#ring()
    return this.#state === 'expired'
  }

  pause(): void {
    this.#pauses += 1
    if (this.#pauses > 1 || this.#state !== 'running') return
    clearTimeout(this.#timer)
    this.#elapse()
  }

  resume(): void {
    this.#pauses -= 1
    if (this.#pauses === 0 && this.#state === 'running') this.#arm()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    if (this.#state === 'running') this.#state = 'disposed'
  }

  #elapse(): void {
    const now = performance.now()
    this.#left -= now - this.#since
    this.#since = now
  }

  #arm(): void {
    this.#since = performance.now()
    this.#timer = setTimeout(() => this.#ring(), Math.max(0, this.#left))
  }

  // Timers may fire a fraction early; the deadline never does.
  #ring(): void {
    this.#elapse()
    if (this.#left > 0) return this.#arm()
    clearTimeout(this.#timer)
    this.#state = 'expired'
    this.#expire()
  }
}
