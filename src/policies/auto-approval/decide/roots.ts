import type { ReviewMode } from '../config/settings.ts'
import { createBreaker, type Breaker } from './breaker.ts'
import { createLoopGuard, type LoopGuard } from './loop-guard.ts'

/** What is kept for one root session while it lives. */
export interface RootState {
  readonly key: string
  /** Set by the operator; undefined follows the configuration. */
  mode: ReviewMode | undefined
  readonly breaker: Breaker
  readonly loop: LoopGuard
  /** Exact calls that a human allowed for the rest of the session. */
  readonly lasting: Set<string>
  /** Learned allows so far. */
  learned: number
  onboarded: boolean
  /** The operator changed the mode, and the model has not been told. */
  modeChanged: boolean
}

/** The states of all root sessions. */
export interface Roots {
  of(key: string): RootState
  /** Forgets everything of a session that is over. */
  drop(key: string): void
}

/** Creates an empty table. */
export function createRoots(): Roots {
  const table = new Map<string, RootState>()
  return {
    of(key) {
      const known = table.get(key)
      if (known !== undefined) return known
      const made: RootState = {
        key,
        mode: undefined,
        breaker: createBreaker(),
        loop: createLoopGuard(),
        lasting: new Set(),
        learned: 0,
        onboarded: false,
        modeChanged: false,
      }
      table.set(key, made)
      return made
    },
    drop: (key) => void table.delete(key),
  }
}
