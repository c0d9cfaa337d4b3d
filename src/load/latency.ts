import { build, type Histogram } from 'hdr-histogram-js'

export type { Histogram } from 'hdr-histogram-js'

/** Quantiles of one kind of latency, in milliseconds. All are 0 when `count` is. */
export interface LatencyReport {
  readonly count: number
  readonly mean: number
  readonly min: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly p99_9: number
  readonly max: number
}

/** An hour, in microseconds; whatever is longer is counted as that. */
const MOST_US = 3_600_000_000
const US = 1_000

/** Creates a histogram of microseconds; `digits` is how many of a value are kept apart. */
export function createLatency(digits: 2 | 3 = 3): Histogram {
  return build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MOST_US,
    numberOfSignificantValueDigits: digits,
    autoResize: false,
  })
}

/** Records milliseconds. */
export function recordMs(histogram: Histogram, ms: number): void {
  histogram.recordValue(Math.min(MOST_US, Math.max(0, Math.round(ms * US))))
}

/** The value at a percentile (0 to 100) in milliseconds. */
export function percentileMs(histogram: Histogram, percentile: number): number {
  if (histogram.totalCount === 0) return 0
  if (percentile <= 0) return lowestUs(histogram) / US
  // The library answers with the top of a value's bucket, which may lie above every value.
  return Math.min(histogram.getValueAtPercentile(percentile), histogram.maxValue) / US
}

/** The usual quantiles. */
export function toLatencyReport(histogram: Histogram): LatencyReport {
  const at = (percentile: number): number => percentileMs(histogram, percentile)
  const count = histogram.totalCount
  return {
    count,
    mean: count === 0 ? 0 : roundUs(histogram.mean / US),
    min: at(0),
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p99_9: at(99.9),
    max: at(100),
  }
}

function lowestUs(histogram: Histogram): number {
  return Math.min(histogram.getValueAtPercentile(0), histogram.maxValue)
}

function roundUs(ms: number): number {
  return Math.round(ms * US) / US
}
