import { describe, expect, test } from 'vitest'
import { compareReports, parseReport, type ComparableReport } from '../../src/load/compare.ts'
import { drawComparison } from '../../src/load/draw-comparison.ts'

const latency = { count: 100, p50: 10, p90: 20, p95: 30, p99: 40, p99_9: 50, max: 60 }
const base: ComparableReport = {
  format: 'caisson-bench/1',
  interrupted: false,
  load: { model: 'open', level: 10, stages: [], durationMs: 1_000, arrivals: 'constant', seed: 1 },
  calls: { ok: 99, failed: 1, dropped: 0 },
  rate: { achieved: 100 },
  latency: { response: latency, service: latency },
  tools: [{ tool: 'one', weight: 1 }],
  engine: { kills: 0 },
  host: { memory: { hostPeakMb: 100 } },
  environment: { engine: 'isolate', cores: 2 },
}
const slower = (factor: number): ComparableReport => ({
  ...base,
  latency: { ...base.latency, response: { ...latency, p95: latency.p95 * factor } },
})
const worse = (after: ComparableReport, tolerance = 0.1): string[] =>
  compareReports(base, after, tolerance)
    .figures.filter(({ verdict }) => verdict === 'worse')
    .map(({ figure }) => figure)

describe('compareReports()', () => {
  test('lets figures be worse by the tolerance and no more', () => {
    expect(worse(base)).toEqual([])
    expect(worse(slower(1.1))).toEqual([])
    expect(worse(slower(1.11))).toEqual(['response p95'])
    expect(worse(slower(1.11), 0.2)).toEqual([])
    expect(compareReports(base, slower(0.5), 0.1)).toMatchObject({ ok: true, notes: [] })
  })

  test('counts a lower rate and a higher share of errors', () => {
    expect(worse({ ...base, rate: { achieved: 89 } })).toEqual(['achieved'])
    expect(worse({ ...base, calls: { ok: 98, failed: 1, dropped: 1 } })).toEqual(['errors'])
  })

  test('shows the rarest figures without judging them', () => {
    const response = { ...latency, p99_9: 500, max: 900 }
    expect(worse({ ...base, latency: { ...base.latency, response } })).toEqual([])
  })

  test('says what makes two runs hard to compare, and never passes a run without a success', () => {
    const other = {
      ...base,
      load: { ...base.load, level: 20 },
      environment: { engine: 'thread', cores: 2 },
    }
    expect(compareReports(base, other, 0.1).notes).toEqual([
      'They differ in level: 10 and 20.',
      'They differ in engine: "isolate" and "thread".',
    ])
    const none = {
      ...base,
      latency: {
        ...base.latency,
        response: { ...latency, count: 0, p50: 0, p90: 0, p95: 0, p99: 0 },
      },
    }
    expect(compareReports(base, none, 0.1)).toMatchObject({
      ok: false,
      notes: ['No call of the second load succeeded.'],
    })
  })

  test('drawComparison() begins with the verdict and escapes what a file claims', () => {
    const after = { ...slower(2), environment: { engine: 'x\u001b[31m', cores: 2 } }
    const text = drawComparison(compareReports(base, after, 0.1), { width: 80, color: false })
    expect(text[0]).toBe('✘ worse by more than 10 %')
    expect(text.join('\n')).toMatch(/response p95 \(ms\) +30 +60 +\+100.0 % {2}✘ worse/)
    expect(text.join('\n')).not.toContain('\u001b')
  })
})

test.each([
  ['no JSON', '{'],
  ['another format', '{"format":"x"}'],
  ['a missing figure', JSON.stringify({ ...base, rate: {} })],
])('parseReport() refuses %s and names the file', (_what, text) => {
  expect(() => parseReport(text, 'old.json')).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('old.json is no report'),
    }),
  )
})
