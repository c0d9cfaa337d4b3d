import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createArrivals, type Arrivals } from '../../src/load/arrivals.ts'
import { createRandom } from '../../src/load/random.ts'
import { levelAt } from '../../src/load/spec.ts'

type Spec = Parameters<typeof createArrivals>[0]

const spec = (given: Partial<Spec>): Spec => ({
  level: 0,
  stages: [],
  durationMs: undefined,
  requests: undefined,
  arrivals: 'constant',
  ...given,
})

function all(given: Partial<Spec>, seed = 1): number[] {
  const arrivals: Arrivals = createArrivals(spec(given), createRandom(seed))
  const times: number[] = []
  for (let at = arrivals.next(); at !== undefined; at = arrivals.next()) times.push(at)
  return times
}

describe('createArrivals()', () => {
  test('spaces a constant rate evenly from the beginning, as many as fit', () => {
    const times = all({ level: 50, durationMs: 10_000 })
    expect(times).toHaveLength(500)
    expect(times.slice(0, 3)).toEqual([0, 20, 40])
    expect(times.at(-1)).toBeCloseTo(9_980)
  })

  test('ends after so many requests, or when the time is up, whichever is first', () => {
    expect(all({ level: 10, requests: 3 })).toEqual([0, 100, 200])
    expect(all({ level: 10, requests: 3, durationMs: 150 })).toEqual([0, 100])
  })

  test('follows ramps: the area under the rate is the number of arrivals', () => {
    const stages = [
      { ms: 2_000, target: 100 },
      { ms: 1_000, target: 100 },
      { ms: 2_000, target: 0 },
    ]
    const times = all({ stages, durationMs: 5_000 })
    expect(times).toHaveLength(300)
    const within = (from: number, to: number): number =>
      times.filter((time) => time >= from && time < to).length
    expect(within(0, 1_000)).toBe(25)
    expect(within(1_000, 2_000)).toBe(75)
    expect(within(2_000, 3_000)).toBe(100)
    expect(within(4_000, 5_000)).toBeCloseTo(25, -1)
  })

  test('makes nothing of a level of zero', () => {
    expect(all({ stages: [{ ms: 1_000, target: 0 }], durationMs: 1_000 })).toEqual([])
  })

  test('draws the same poisson arrivals for the same seed, around the rate', () => {
    const given = { level: 200, durationMs: 20_000, arrivals: 'poisson' as const }
    const times = all(given)
    expect(all(given)).toEqual(times)
    expect(all(given, 2)).not.toEqual(times)
    // Four standard deviations of 4 000 arrivals.
    expect(Math.abs(times.length - 4_000)).toBeLessThan(4 * Math.sqrt(4_000))
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    const spread = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
    expect(spread / mean).toBeGreaterThan(0.9)
    expect(spread / mean).toBeLessThan(1.1)
  })

  test('never goes back in time and never leaves the schedule', () => {
    const stage = fc.record({ ms: fc.integer({ min: 1, max: 2_000 }), target: fc.nat(200) })
    fc.assert(
      fc.property(fc.nat(200), fc.array(stage, { minLength: 1, maxLength: 4 }), (level, stages) => {
        const durationMs = stages.reduce((sum, { ms }) => sum + ms, 0)
        const times = all({ level, stages, durationMs })
        const area = stages.reduce((sum, { ms, target }, index) => {
          const from = stages[index - 1]?.target ?? level
          return sum + ((from + target) / 2) * (ms / 1_000)
        }, 0)
        expect(Math.abs(times.length - area)).toBeLessThanOrEqual(1)
        for (const [index, time] of times.entries()) {
          expect(time).toBeGreaterThanOrEqual(times[index - 1] ?? 0)
          expect(time).toBeLessThan(durationMs)
        }
      }),
      { numRuns: 50 },
    )
  })
})

test('levelAt() moves in straight lines and holds the last target', () => {
  const load = { level: 2, stages: [{ ms: 1_000, target: 10 }] }
  expect([0, 500, 1_000, 9_000].map((at) => levelAt(load, at))).toEqual([2, 6, 10, 10])
})
