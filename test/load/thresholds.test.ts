import { describe, expect, test } from 'vitest'
import { createLatency, recordMs } from '../../src/load/latency.ts'
import { evaluateThreshold, parseThreshold, type Measured } from '../../src/load/thresholds.ts'

function measure(counts: Partial<Measured['counts']> = {}): Measured {
  const response = createLatency()
  for (let value = 1; value <= 100; value += 1) recordMs(response, value)
  const service = createLatency()
  recordMs(service, 2)
  const zero = { offered: 0, ok: 0, failed: 0, dropped: 0, unfinished: 0, retries: 0 }
  return {
    counts: { ...zero, ok: 90, ...counts },
    latencies: { response, service, queue: createLatency(), lag: createLatency() },
    rate: 50,
    kills: 2,
  }
}

const holds = (text: string, measured: Measured = measure()): boolean =>
  evaluateThreshold(parseThreshold(text), measured).ok

describe('thresholds', () => {
  test.each([
    ['p95<96', true],
    ['p(95)<95', false],
    ['p95<=95.1', true],
    ['p98.5<0.1s', true],
    ['p50>60000us', false],
    ['response.max<=100', true],
    ['med<51', true],
    ['avg<51ms', true],
    ['min>=1', true],
    ['service.p99<5', true],
    ['rate>49', true],
    ['rate>=51/s', false],
    ['kills<=2', true],
    ['kills<2', false],
    ['errors<1%', true],
    [' p95 < 96 ', true],
  ])('%s: %s', (text, ok) => {
    expect(holds(text)).toBe(ok)
  })

  test('errors are failed and dropped calls, as a share or as a count', () => {
    const measured = measure({ failed: 6, dropped: 4 })
    expect(holds('errors<10%', measured)).toBe(false)
    expect(holds('errors<=10%', measured)).toBe(true)
    expect(holds('errors<=10', measured)).toBe(true)
    expect(holds('failed<=6%', measured)).toBe(true)
    expect(holds('dropped<4', measured)).toBe(false)
    expect(evaluateThreshold(parseThreshold('errors<1%'), measured)).toEqual({
      expression: 'errors<1%',
      ok: false,
      actual: 10,
      unit: '%',
    })
  })

  test('what nobody could measure does not hold', () => {
    const nothing = { ...measure({ ok: 0 }), latencies: measure().latencies }
    expect(evaluateThreshold(parseThreshold('queue.p99<5'), nothing)).toMatchObject({
      ok: false,
      actual: null,
    })
    expect(holds('errors<1%', nothing)).toBe(false)
  })

  test.each([
    'p95',
    'p95<',
    'p95<x',
    'p101<5',
    'p95<5%',
    'p95=5',
    'speed<5',
    'rate>5ms',
    'a.p95<5',
  ])('refuses %s in one line with examples', (text) => {
    expect(() => parseThreshold(text)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/^threshold '.*' is not understood; examples: p95<20/),
      }),
    )
  })
})
