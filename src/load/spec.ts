import type { JsonValue } from '../types/json.ts'

/** One kind of call of a load. Its share is its weight over the sum of all weights. */
export interface LoadCall {
  readonly tool: string
  readonly args: JsonValue
  readonly weight: number
}

/** A ramp: within `ms` milliseconds the level moves in a straight line to `target`. */
export interface Stage {
  readonly ms: number
  readonly target: number
}

/** Calls that are made first and not measured; both absent for none. */
export interface Warmup {
  readonly ms?: number
  readonly requests?: number
}

/**
 * A load. `open`: calls arrive on a schedule, however slow the answers are. `closed`: so many callers,
 * each of which makes its next call when the last one has settled.
 */
export interface LoadSpec {
  readonly model: 'open' | 'closed'
  readonly calls: readonly LoadCall[]
  /** Calls a second (open) or callers (closed) at the beginning. */
  readonly level: number
  /** Ramps from there; empty: the level is held. */
  readonly stages: readonly Stage[]
  /** What ends it, whichever is first; at least one of the two. */
  readonly durationMs: number | undefined
  readonly requests: number | undefined
  readonly warmup: Warmup
  readonly arrivals: 'constant' | 'poisson'
  /** Equal seeds give equal arrivals and equal mixes. */
  readonly seed: number
  /** Calls that may be under way at once; an arrival beyond that is dropped and counted. */
  readonly maxOutstanding: number
}

/** The level at a time, in milliseconds from the beginning; the last target is held. */
export function levelAt({ level, stages }: Pick<LoadSpec, 'level' | 'stages'>, at: number): number {
  let from = level
  let left = at
  for (const { ms, target } of stages) {
    if (left < ms) return from + ((target - from) * left) / ms
    from = target
    left -= ms
  }
  return from
}
