/** A timer that is set and cleared for every call and hardly ever fires. */
export interface LazyTimer {
  /** Fires after `ms` unless it is cleared, or set anew, before. */
  set(ms: number): void
  clear(): void
}

/**
 * Creates the timer. Clearing only notes that nobody waits: the timer below stays until it is over, so
 * that a call costs no timer of its own. It keeps no process running.
 */
export function createLazyTimer(fire: () => void): LazyTimer {
  let due: number | undefined
  let ringing = Infinity
  let timer: NodeJS.Timeout | undefined
  const arm = (at: number, now: number): void => {
    clearTimeout(timer)
    ringing = at
    timer = setTimeout(ring, Math.max(0, at - now)).unref()
  }
  const ring = (): void => {
    ringing = Infinity
    if (due === undefined) return
    const now = performance.now()
    if (now < due) return arm(due, now)
    due = undefined
    fire()
  }
  return {
    set(ms) {
      const now = performance.now()
      due = now + ms
      if (due < ringing) arm(due, now)
    },
    clear() {
      due = undefined
    },
  }
}
