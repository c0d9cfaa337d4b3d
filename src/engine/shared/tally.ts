import type { EngineCounts } from '../../types/engine.ts'

/** Counts what becomes of the processes or threads of one engine. */
export interface Tally {
  started(): void
  killed(): void
  recycled(): void
  lost(): void
  /** A copy. */
  counts(): EngineCounts
}

/** Creates a tally at zero. */
export function createTally(): Tally {
  const counts = { started: 0, kills: 0, recycles: 0, lost: 0 }
  return {
    started: () => void (counts.started += 1),
    killed: () => void (counts.kills += 1),
    recycled: () => void (counts.recycles += 1),
    lost: () => void (counts.lost += 1),
    counts: () => ({ ...counts }),
  }
}
