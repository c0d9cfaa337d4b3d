import type { HostSample } from './sampler.ts'
import type { Slice } from './recorder.ts'

/** What happened in one stretch of a load, and how the host was at its end. Times in milliseconds. */
export interface SeriesPoint extends Slice, HostSample {
  /** End of the stretch, from the beginning of the measurement. */
  readonly at: number
  readonly width: number
  /** Calls under way at the end. */
  readonly outstanding: number
}

/** Takes a point every so often until it is stopped. */
export interface Series {
  readonly points: readonly SeriesPoint[]
  stop(): void
}

export interface SeriesSpec {
  /** What the load is expected to last; undefined where nobody knows. */
  readonly expectedMs: number | undefined
  take(): Slice & HostSample & { readonly outstanding: number }
  taken(point: SeriesPoint): void
}

const POINTS = 60
const SHORTEST_MS = 250
const LONGEST_MS = 5_000
const UNKNOWN_MS = 250
/** A load that lasts longer than expected is looked at less often from then on. */
const CROWDED = 600

/** Begins a series; a load of any length has a readable number of points. */
export function createSeries(spec: SeriesSpec): Series {
  const origin = performance.now()
  const points: SeriesPoint[] = []
  let period = firstPeriod(spec.expectedMs)
  let before = 0
  const take = (): void => {
    const at = performance.now() - origin
    const point = { at: Math.round(at), width: Math.round(at - before), ...spec.take() }
    before = at
    points.push(point)
    spec.taken(point)
    if (points.length % CROWDED !== 0) return
    clearInterval(timer)
    period *= 2
    timer = setInterval(take, period)
  }
  let timer = setInterval(take, period)
  return {
    points,
    stop() {
      clearInterval(timer)
      take()
    },
  }
}

function firstPeriod(expectedMs: number | undefined): number {
  if (expectedMs === undefined) return UNKNOWN_MS
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.round(expectedMs / POINTS)))
}
