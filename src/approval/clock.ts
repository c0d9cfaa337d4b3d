/** Time as approval sees it; tests bring their own. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number
  /** Milliseconds since 1970, for records. */
  wall(): number
  /** Calls back once, `ms` from now; the returned function takes it back. */
  after(ms: number, fn: () => void): () => void
}

/** The clock of this machine. */
export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms: number, fn: () => void) {
    const timer = setTimeout(fn, Math.max(0, ms))
    return () => clearTimeout(timer)
  },
})
