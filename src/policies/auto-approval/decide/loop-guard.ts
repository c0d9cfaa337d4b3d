/** Notices when one root session is allowed the same call over and over. */
export interface LoopGuard {
  /** Told of every call; a different one ends the row. */
  see(key: string): void
  /** Counts an allow that no human gave; true when it is the one too many, and the row starts again. */
  isTooMany(key: string, threshold: number): boolean
}

/** Creates a guard that has seen nothing. A threshold of 0 switches it off; 1 is taken as 2. */
export function createLoopGuard(): LoopGuard {
  let last: string | undefined
  let times = 0
  const see = (key: string): void => {
    if (key === last) return
    last = key
    times = 0
  }
  return {
    see,
    isTooMany(key, threshold) {
      see(key)
      if (threshold === 0) return false
      times += 1
      if (times < Math.max(2, threshold)) return false
      times = 0
      return true
    },
  }
}
