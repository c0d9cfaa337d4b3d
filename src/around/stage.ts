import type { Outcome } from '../pipeline/outcome.ts'
import type { Deadline } from '../signals/deadline.ts'

/** What a stage hands to the one inside it. */
export interface Pass {
  /** Aborts everything inside; a wrapper may hand on another one. */
  readonly signal: AbortSignal
  /** The last signal that also aborts with the call's interrupt; `signal` where nobody replaced it. */
  readonly fused?: AbortSignal
  readonly limit: Limit | undefined
}

/** The deadline everything inside is under. */
export interface Limit {
  readonly ms: number
  /** What the signal aborted with when the deadline was what ended the body. */
  reason: Error | undefined
  readonly deadline: Pick<Deadline, 'pause' | 'resume'>
  /** Set when the deadline's stage has been left: a late `next()` runs nothing. */
  left: boolean
}

/** Runs everything inside once more. */
export type NextStage = (pass: Pass) => Promise<Outcome>
