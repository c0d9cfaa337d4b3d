/** Counts what models refuse in one root session. */
export interface Breaker {
  readonly counters: BreakerCounters
  /** No model is asked while it is; it rejects nothing by itself. */
  isTripped(limits: BreakerLimits): boolean
  /** Texts of the last refusals, newest last. */
  readonly recent: readonly string[]
  denied(reason: string): void
  /** Somebody answered. */
  answered(): void
  reset(): void
}

export interface BreakerCounters {
  readonly consecutive: number
  readonly total: number
}

/** 0 switches one off. */
export interface BreakerLimits {
  readonly maxConsecutive: number
  readonly maxTotal: number
}

const KEPT = 10

/** Creates a breaker at (0, 0). */
export function createBreaker(): Breaker {
  let counters: BreakerCounters = { consecutive: 0, total: 0 }
  let recent: readonly string[] = []
  const reset = (): void => {
    counters = { consecutive: 0, total: 0 }
    recent = []
  }
  return {
    get counters() {
      return counters
    },
    get recent() {
      return recent
    },
    isTripped({ maxConsecutive, maxTotal }) {
      const { consecutive, total } = counters
      return (
        (maxConsecutive > 0 && consecutive >= maxConsecutive) || (maxTotal > 0 && total >= maxTotal)
      )
    },
    denied(reason) {
      counters = { consecutive: counters.consecutive + 1, total: counters.total + 1 }
      recent = [...recent, reason].slice(-KEPT)
    },
    answered: reset,
    reset,
  }
}
