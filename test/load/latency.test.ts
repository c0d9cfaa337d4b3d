import { expect, test } from 'vitest'
import { toCurve } from '../../src/load/curve.ts'
import { createLatency, percentileMs, recordMs, toLatencyReport } from '../../src/load/latency.ts'

function record(values: readonly number[]): ReturnType<typeof createLatency> {
  const histogram = createLatency()
  for (const value of values) recordMs(histogram, value)
  return histogram
}

test('toLatencyReport() tells quantiles in milliseconds to three digits', () => {
  const report = toLatencyReport(record(Array.from({ length: 1_000 }, (_, index) => index + 1)))
  expect(report).toMatchObject({ count: 1_000, min: 1, max: 1_000 })
  const { p50, p90, p95, p99, p99_9, mean } = report
  for (const [value, wanted] of [
    [p50, 500],
    [p90, 900],
    [p95, 950],
    [p99, 990],
    [p99_9, 999],
    [mean, 500.5],
  ] as const) {
    expect(Math.abs(value - wanted) / wanted).toBeLessThan(0.002)
  }
})

test('recordMs() keeps microseconds, and what is out of range at its edge', () => {
  const histogram = record([-3, 0.25, 1e9])
  expect(percentileMs(histogram, 0)).toBe(0)
  expect(percentileMs(histogram, 50)).toBe(0.25)
  expect(percentileMs(histogram, 100)).toBe(3_600_000)
})

test('an empty histogram has a count of 0 and no quantile above 0', () => {
  const { count, ...rest } = toLatencyReport(createLatency())
  expect(count).toBe(0)
  expect(new Set(Object.values(rest))).toEqual(new Set([0]))
})

test('toCurve() rises from the fastest to the slowest and claims no finer percentile than it has', () => {
  const response = record(Array.from({ length: 500 }, (_, index) => index + 1))
  const curve = toCurve({ response, service: record([1]) })
  expect(curve[0]).toMatchObject({ percentile: 0, response: 1 })
  expect(curve.at(-1)).toMatchObject({ percentile: 99.8, service: 1 })
  expect(curve.at(-1)?.response).toBeGreaterThanOrEqual(499)
  const values = curve.map((point) => point.response)
  expect(values.toSorted((a, b) => a - b)).toEqual(values)
  expect(toCurve({ response: createLatency(), service: createLatency() })).toEqual([])
})
