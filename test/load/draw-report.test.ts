import { expect, test } from 'vitest'
import { drawReport } from '../../src/load/draw-report.ts'
import { parseThreshold } from '../../src/load/thresholds.ts'
import { load } from './load-rig.ts'

test('drawReport() begins with the thresholds and fits 80 columns', async () => {
  const fail = (): never => {
    throw new Error(`no\nluck \u001b[2J ${'word '.repeat(40)}`)
  }
  const thresholds = ['errors<1%', 'p95<10s'].map(parseThreshold)
  const { report } = await load({ one: () => 1, fail }, { requests: 40 }, { thresholds })
  const rows = drawReport(report, { width: 80, color: false })
  expect(rows[0]).toMatch(/^✘ errors<1% +\d+(\.\d+)? %$/)
  expect(rows[1]).toMatch(/^✔ p95<10s +\d+(\.\d+)? ms$/)
  const text = rows.join('\n')
  expect(text).toMatch(/^ms +p50 +p90 +p95 +p99 +p99\.9 +max$/m)
  for (const label of ['response time', 'service time', 'queue wait', 'failed calls']) {
    expect(text).toMatch(new RegExp(`^${label}( +\\d+(\\.\\d+)?){6}$`, 'm'))
  }
  expect(text).toMatch(/^failures +TOOL_ERROR \d+: no⏎luck \\x1b\[2J word/m)
  expect(rows.every((row) => row.length <= 80)).toBe(true)
})
