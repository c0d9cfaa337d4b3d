import { percentileMs, type Histogram } from './latency.ts'

/** One point of the percentile curve, in milliseconds. */
export interface CurvePoint {
  readonly percentile: number
  readonly response: number
  readonly service: number
}

const PER_DECADE = 16

/** The distribution of successes, ever finer towards the slowest; up to what the count can tell. */
export function toCurve({
  response,
  service,
}: Readonly<Record<'response' | 'service', Histogram>>): CurvePoint[] {
  const { totalCount } = response
  if (totalCount === 0) return []
  const steps = Math.ceil(Math.log10(totalCount) * PER_DECADE)
  const shares = Array.from({ length: steps }, (_, step) => 1 - 10 ** (-step / PER_DECADE))
  return [...shares, 1 - 1 / totalCount].map((share) => {
    const percentile = Math.round(share * 1e8) / 1e6
    return {
      percentile,
      response: percentileMs(response, percentile),
      service: percentileMs(service, percentile),
    }
  })
}
