import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { exampleOf } from './tool-source.ts'

const DEMO_MS = 50_000

let output = ''
let seconds = 0

describe('the demo', () => {
  // Rejects when the exit code is not 0, which is the demo's own verdict.
  beforeAll(async () => {
    const began = performance.now()
    const { stdout } = await promisify(execFile)(process.execPath, [exampleOf('demo.ts')], {
      timeout: DEMO_MS,
      killSignal: 'SIGKILL',
    })
    seconds = (performance.now() - began) / 1000
    output = stdout
  }, DEMO_MS + 5_000)

  test('ends well below a minute', () => {
    expect(seconds).toBeLessThan(45)
  })

  test.each([
    ['csv_stats', /^csv_stats +ok +\d+ +1 +\d+ → \d+ \(\d+\) +(kept|\d replaced)$/m],
    ['markdown_outline', /^markdown_outline +ok +\d+ +1 /m],
    ['metar_decode', /^metar_decode +ok +\d+ +1 /m],
    ['make_password', /^make_password +DENIED +\d+ +0 .* none$/m],
    ['json_diff', /^json_diff +ok +\d+ +1 .* (kept|\d replaced)$/m],
    ['busy_loop', /^busy_loop +TOOL_TIMEOUT +[1-9]\d\d\d +1 .* [1-9] replaced$/m],
    ['map_bomb', /^map_bomb +TOOL_OUT_OF_MEMORY +\d+ +1 .* [1-9] replaced$/m],
    ['countdown', /^countdown +ok +[1-9]\d\d\d +1 /m],
    ['flaky_report', /^flaky_report +ok +\d+ +[2-6] .* (kept|\d replaced)$/m],
  ])('its table tells what became of %s', (_tool, row) => {
    expect(output).toMatch(row)
  })

  test('the host does not grow with what its tools allocate', () => {
    const cells = [...output.matchAll(/(\d+) → \d+ \((\d+)\)/g)]
    expect(cells).toHaveLength(6)
    for (const [, before, peak] of cells) expect(Number(peak) - Number(before)).toBeLessThan(100)
  })

  test('shows pending and completed cards, the question and its answer', () => {
    expect(output).toMatch(/^◌ Statistics of \d+ characters of CSV/m)
    expect(output).toMatch(/^✔ KJFK: IFR/m)
    expect(output).toMatch(/^✘ make_password · DENIED/m)
    expect(output).toContain('the arguments mention production')
    expect(output).toContain('approval allowed-once')
  })

  test('stays inside 80 columns and writes no colour into a pipe', () => {
    expect(output).not.toContain('\u001b')
    expect(output.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('has one result for every call in its log', () => {
    expect(output).toMatch(/The session log holds \d+ events, 9 results for 9 calls\./)
  })
})
