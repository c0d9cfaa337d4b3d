import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { parseThreshold } from '../../src/load/thresholds.ts'
import type { LoadProgress } from '../../src/load/run-load.ts'
import { load } from './load-rig.ts'

/** A tool that answers at once, but for one stretch of time in which nobody gets an answer. */
function createStalling(fromMs: number, ms: number): () => Promise<number> {
  let begun: number | undefined
  return async () => {
    begun ??= performance.now()
    const at = performance.now() - begun
    if (at >= fromMs && at < fromMs + ms) await sleep(fromMs + ms - at)
    return 1
  }
}

describe('an open load', () => {
  test('makes every call that is due and says what was asked and achieved', async () => {
    const { report } = await load({ one: () => 1 }, { level: 200, durationMs: 500 })
    expect(report.calls).toMatchObject({ offered: 100, ok: 100, failed: 0, dropped: 0 })
    expect(report.rate.asked).toBe(200)
    expect(report.elapsedMs).toBeGreaterThanOrEqual(490)
    expect(report.latency.response.count).toBe(100)
    expect(report.latency.lag.count).toBe(100)
    const offered = report.series.reduce((sum, point) => sum + point.offered, 0)
    const settled = report.series.reduce((sum, point) => sum + point.ok, 0)
    expect([offered, settled]).toEqual([100, 100])
  })

  test('shows what callers wait during a stall, which a closed load of one caller does not', async () => {
    const stall = 400
    const open = await load(
      { stalls: createStalling(200, stall) },
      { level: 100, durationMs: 1_000 },
    )
    const closed = await load(
      { stalls: createStalling(200, stall) },
      { model: 'closed', level: 1, durationMs: 1_000 },
    )
    // 40 of 100 arrivals fall into the stall and wait 200 ms on average.
    const { response } = open.report.latency
    expect(response.p90).toBeGreaterThan(stall / 2)
    expect(response.max).toBeGreaterThan(stall * 0.9)
    // The lone caller made one call in all that time.
    const lone = closed.report.latency.response
    expect(lone.p90).toBeLessThan(stall / 4)
    expect(lone.max).toBeGreaterThan(stall * 0.7)
    expect(closed.report.warnings.join(' ')).toContain('coordinated omission')
  })

  test('counts what it dropped because too much was under way', async () => {
    const { report } = await load(
      { slow: () => sleep(300, 1) },
      { level: 100, durationMs: 300, maxOutstanding: 5 },
    )
    expect(report.calls.dropped).toBeGreaterThanOrEqual(20)
    expect(report.calls.ok + report.calls.dropped).toBe(report.calls.offered)
    expect(report.warnings.join(' ')).toContain(`${report.calls.dropped} arrivals were dropped`)
  })

  test('says when the generator itself lagged, and counts the delay as response time', async () => {
    const block = (): number => {
      const until = performance.now() + 150
      while (performance.now() < until);
      return 1
    }
    const { report } = await load({ block }, { level: 20, requests: 6 })
    expect(report.latency.lag.max).toBeGreaterThan(150)
    expect(report.latency.response.max).toBeGreaterThan(report.latency.lag.max)
    expect(report.warnings[0]).toMatch(/^The generator itself lagged: .* the worst \d+ ms/)
    expect(report.host.eventLoop.maxMs).toBeGreaterThan(100)
  })
})

describe('a closed load', () => {
  test('keeps so many callers busy, and follows its stages', async () => {
    let live = 0
    let most = 0
    const watched = async (): Promise<number> => {
      most = Math.max(most, (live += 1))
      await sleep(5)
      return (live -= 1)
    }
    const closed = { model: 'closed', level: 2 } as const
    await load({ watched }, { ...closed, durationMs: 150 })
    expect(most).toBe(2)
    await load({ watched }, { ...closed, stages: [{ ms: 200, target: 6 }], durationMs: 400 })
    expect(most).toBe(6)
    const { report } = await load({ watched }, { ...closed, requests: 7 })
    expect(report.calls).toMatchObject({ offered: 7, ok: 7 })
    expect(report.rate).not.toHaveProperty('asked')
  })

  test('leaves the rest of the process its turn although calls settle at once', async () => {
    let turns = 0
    const timer = setInterval(() => (turns += 1), 10)
    await load({ one: () => 1 }, { model: 'closed', level: 1, durationMs: 500 })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
  })
})

describe('any load', () => {
  test('tells failures by code apart from successes', async () => {
    let made = 0
    const odd = (): number => {
      made += 1
      if (made % 2 === 0) throw new Error('even')
      return made
    }
    const thresholds = ['errors<10%', 'rate>1'].map(parseThreshold)
    const { report } = await load({ odd }, { level: 100, requests: 20 }, { thresholds })
    expect(report.calls).toMatchObject({ ok: 10, failed: 10 })
    expect(report.failures).toEqual({ TOOL_ERROR: { count: 10, message: 'even' } })
    expect(report.latency.failed.count).toBe(10)
    expect(report.latency.response.count).toBe(10)
    expect(report.thresholds).toMatchObject([
      { expression: 'errors<10%', ok: false, actual: 50 },
      { expression: 'rate>1', ok: true },
    ])
  })

  test('divides calls by weight, the same way for the same seed', async () => {
    const tools = { a: () => 1, b: () => 2 }
    const calls = [
      { tool: 'a', args: {}, weight: 3 },
      { tool: 'b', args: {}, weight: 1 },
    ]
    const split = async (seed: number): Promise<number[]> => {
      const { report } = await load(tools, { calls, seed, level: 1_000, requests: 200 })
      return report.tools.map(({ ok }) => ok)
    }
    const [a = 0, b = 0] = await split(3)
    expect(a + b).toBe(200)
    expect(a).toBeGreaterThan(120)
    expect(b).toBeGreaterThan(25)
    expect(await split(3)).toEqual([a, b])
  })

  test('leaves its warm-up out', async () => {
    let made = 0
    const seen: LoadProgress['phase'][] = []
    const { report } = await load(
      { one: () => (made += 1) },
      { level: 50, requests: 30, warmup: { ms: 600 } },
      { progress: ({ phase }) => void seen.push(phase) },
    )
    expect(report.calls.offered).toBe(30)
    expect(made).toBe(60)
    expect(new Set(seen)).toEqual(new Set(['warm-up', 'measuring']))
  })

  test('ends early when it is told to, and reports what it has', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    const wait = (_args: unknown, { signal }: { readonly signal: AbortSignal }): Promise<number> =>
      sleep(10_000, 1, { signal })
    const begun = performance.now()
    const { report } = await load(
      { one: () => 1, wait },
      { level: 100, durationMs: 30_000 },
      { signal: stop.signal },
    )
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(report.interrupted).toBe(true)
    expect(report.calls.ok).toBeGreaterThan(0)
    expect(report.calls.unfinished).toBeGreaterThan(0)
    expect(report.calls.failed).toBe(0)
    expect(report.warnings[0]).toContain('interrupted')
  })
})
