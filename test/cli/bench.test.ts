import { spawn } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Comparison } from '../../src/load/compare.ts'
import type { LoadReport } from '../../src/load/report.ts'
import { childrenOf, isGone } from '../../src/sandbox/process-tree.ts'
import { caisson, onlyObject, ROOT } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

vi.setConfig({ testTimeout: 60_000 })

const DIFF = 'examples/community/json-diff.mjs'
const DIFF_ARGS = '{"before":{"a":1},"after":{"a":"2"}}'
const TEXT = 'examples/community/text-toolkit.ts'
const COUNTDOWN = 'examples/community/countdown.mjs'
let folder = ''
const file = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-bench-'))
  await writeFile(file('two.json'), '{"maxRunners":2,"maxQueue":1000}')
})
afterAll(() => removeFolder(folder))

async function bench(...args: string[]): Promise<{ code: number | null; report: LoadReport }> {
  const run = await caisson(['bench', ...args, '--json'])
  if (run.stdout === '') throw new Error(`no report: ${run.stderr}`)
  return { code: run.code, report: onlyObject(run) as unknown as LoadReport }
}

describe('caisson bench', () => {
  test('prints thresholds first, then a table, and exits 99 when one fails', async () => {
    const run = await caisson([
      ...['bench', DIFF, '--args', DIFF_ARGS, '--rate', '40/s', '--requests', '20'],
      ...['--warmup', '5', '--threshold', 'p95<30s', '--threshold', 'rate>100000'],
    ])
    expect(run.code).toBe(99)
    const rows = run.stdout.split('\n')
    expect(rows[0]).toMatch(/^✔ p95<30s +[\d.]+ ms$/)
    expect(rows[1]).toMatch(/^✘ rate>100000 +[\d.]+ \/s$/)
    expect(run.stdout).toContain('json_diff: open model: 40/s, 20 calls at most, warm-up 5 calls')
    expect(run.stdout).toMatch(/^response time( +[\d.]+){6}$/m)
    expect(run.stdout).toMatch(/^calls +20 due, 20 ok, 0 failed, 0 dropped, 0 unfinished/m)
    expect(run.stdout).toContain(`Node ${process.versions.node}`)
  })

  test('writes a page, a percentile file and one object that a later run is compared with', async () => {
    const [page, hgrm] = [file('out.html'), file('out.hgrm')]
    const load = [DIFF, '--args', DIFF_ARGS, '--rate', '40', '--duration', '500ms', '--warmup', '0']
    const { code, report } = await bench(...load, '--report', page, '--hgrm', hgrm)
    expect(code).toBe(0)
    expect(report).toMatchObject({
      format: 'caisson-bench/1',
      source: DIFF,
      interrupted: false,
      load: { model: 'open', level: 40, durationMs: 500, seed: 1, warmup: {} },
      calls: { offered: 20, ok: 20, failed: 0 },
      environment: { engine: 'isolate', profile: 'pure' },
    })
    const html = await readFile(page, 'utf8')
    expect(html).toContain('<h1>Load test: json_diff</h1>')
    expect(html).toContain('uPlot')
    const lines = (await readFile(hgrm, 'utf8')).split('\n')
    expect(lines[0]).toMatch(/Value +Percentile +TotalCount +1\/\(1-Percentile\)/)
    expect(lines.find((line) => line.includes('Total count'))).toMatch(/Total count += +20\]/)

    await writeFile(file('a.json'), JSON.stringify(report))
    const { response } = report.latency
    const slow = { ...response, p50: response.p50 * 2 }
    const later = { ...report, latency: { ...report.latency, response: slow } }
    await writeFile(file('b.json'), JSON.stringify(later))
    const same = await caisson(['bench', 'compare', file('a.json'), file('a.json')])
    expect([same.code, same.stdout.split('\n')[0]]).toEqual([
      0,
      '✔ nothing is worse by more than 10 %',
    ])
    const worse = await caisson(['bench', 'compare', file('a.json'), file('b.json'), '--json'])
    expect(worse.code).toBe(99)
    const { figures } = onlyObject(worse) as unknown as Comparison
    expect(figures.filter(({ verdict }) => verdict === 'worse').map((row) => row.figure)).toEqual([
      'response p50',
    ])
  })

  test('shows what a deliberately slow tool makes callers wait, which a closed load hides', async () => {
    const slow = [
      ...[COUNTDOWN, '--args', '{"from":1,"tickMs":100}', '--config', file('two.json')],
      ...['--warmup', '4', '--duration', '1s'],
    ]
    const { report: open } = await bench(...slow, '--rate', '40')
    const { report: closed } = await bench(...slow, '--concurrency', '2')
    // Two runners end 20 calls a second and 40 arrive: the last of them waits for a second.
    expect(open.calls).toMatchObject({ offered: 40, ok: 40 })
    expect(open.latency.service.p50).toBeGreaterThanOrEqual(100)
    expect(open.latency.response.max).toBeGreaterThan(900)
    expect(open.latency.response.p90).toBeGreaterThan(3 * open.latency.service.p50)
    expect(open.latency.queue.p90).toBeGreaterThan(2 * open.latency.service.p50)
    expect(open.warnings.join(' ')).toContain('More calls arrived than could run')
    const { response, service } = closed.latency
    expect(response.p50).toBeLessThan(1.5 * service.p50)
    expect(closed.warnings.join(' ')).toContain('coordinated omission')
  })

  test('counts kills, and exits 1 when no call succeeded', async () => {
    const { code, report } = await bench(
      ...['examples/hostile/busy-loop.mjs', '--timeout', '300ms', '--concurrency', '1'],
      ...['--requests', '3', '--warmup', '0'],
    )
    expect(code).toBe(1)
    expect(report.calls).toMatchObject({ offered: 3, ok: 0, failed: 3 })
    expect(report.failures['TOOL_TIMEOUT']).toMatchObject({ count: 3 })
    // A deadline that passes before the body is entered kills nothing.
    expect(report.engine.kills).toBeGreaterThan(0)
    expect(report.engine.kills).toBeLessThanOrEqual(3)
    expect(report.latency.failed.p50).toBeGreaterThanOrEqual(300)
    expect(report.latency.response.count).toBe(0)
  })

  test('divides a mix by weight, with arguments of their own', async () => {
    await writeFile(file('slug.json'), '{"text":"A title"}')
    const { code, report } = await bench(
      ...[
        TEXT,
        '--mix',
        'text_slug=3,text_stats=1',
        '--args-of',
        `text_slug=@${file('slug.json')}`,
      ],
      ...['--args', '{"text":"one two"}', '--rate', '60', '--requests', '40', '--warmup', '0'],
    )
    expect(code).toBe(0)
    const [slug, stats] = report.tools
    expect([slug?.tool, stats?.tool]).toEqual(['text_slug', 'text_stats'])
    expect((slug?.ok ?? 0) + (stats?.ok ?? 0)).toBe(40)
    expect(slug?.ok).toBeGreaterThan(stats?.ok ?? 0)
  })

  test('an interrupt prints what was measured, exits 130 and leaves no child', async () => {
    const args = ['bench', COUNTDOWN, '--args', '{"from":1,"tickMs":50}', '--rate', '20']
    const child = spawn(process.execPath, ['bin/caisson.mjs', ...args, '--duration', '1m'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    })
    let stdout = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const seen = new Set<number>()
    const watch = setInterval(() => {
      for (const pid of childrenOf(child.pid ?? 0)) seen.add(pid)
    }, 100)
    // Past loading and warm-up on the slowest machine; the line says when.
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('measuring')) resolve()
      })
    })
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    clearInterval(watch)
    expect(stdout).toMatch(/^calls +\d+ due, [1-9]\d* ok, 0 failed/m)
    expect(stdout).toContain('! The load was interrupted')
    expect(seen.size).toBeGreaterThan(0)
    await expect.poll(() => [...seen].filter((pid) => !isGone(pid))).toEqual([])
  })

  test.each([
    ['a rate and callers', [DIFF, '--rate', '5', '--concurrency', '5'], 'CONFIG_INVALID'],
    ['a page in no folder', [DIFF, '--report', 'no/such/out.html'], 'CONFIG_INVALID'],
    ['a mix of nobody', [TEXT, '--mix', 'nobody=1'], 'UNKNOWN_TOOL'],
    ['a file to compare that is missing', ['compare', 'nope.json', 'nope.json'], 'CONFIG_INVALID'],
  ])('says one line about %s', async (_what, args, code) => {
    const run = await caisson(['bench', ...args, '--json'])
    expect(run.code).toBe(2)
    expect(onlyObject(run)).toMatchObject({ isError: true, error: { code } })
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
