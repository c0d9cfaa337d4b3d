import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { CheckReport } from '../../src/check/types.ts'
import { listDescendants, until } from '../../src/doctor/world.ts'
import { caisson, onlyObject, ROOT } from './caisson.ts'

vi.setConfig({ testTimeout: 60_000 })

const tool = (name: string): string => join('test', 'fixtures', 'check', name)

describe('caisson check', () => {
  test('exits 0 for a clean tool and prints a report of at most 80 columns', async () => {
    const run = await caisson(['check', tool('clean.ts')])
    expect(run.code).toBe(0)
    expect(run.stderr).toBe('')
    expect(run.stdout).toContain('clean.ts · definition · 1 tool')
    expect(run.stdout).toMatch(/^ {4}✔ signal {17}honoured in \d+ ms$/m)
    expect(run.stdout.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed')
    expect(run.stdout.split('\n').every((row) => row.length <= 80)).toBe(true)
  })

  test('exits 1 when a tool fails with real arguments, and says which check', async () => {
    const args = ['check', tool('breaks-its-schema.mjs'), '--tool', 'count', '--args', '-']
    const run = await caisson(args, '{"text":"abc"}')
    expect(run.code).toBe(1)
    expect(run.stdout).toMatch(/✘ sample-call +INVALID_TOOL_OUTPUT/)
    expect(run.stdout.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed')
  })

  test('exits 2 when a source cannot be loaded, and checks the others all the same', async () => {
    const sources = ['needs-process.mjs', 'clean.ts', 'hidden-text.mjs', 'nowhere.mjs'].map(tool)
    const run = await caisson(['check', ...sources, '--json'])
    expect(run.code).toBe(2)
    const report = onlyObject(run) as unknown as CheckReport
    expect(report.ok).toBe(false)
    expect(report.sources.map(({ source, tools }) => [source, tools.map(({ ok }) => ok)])).toEqual([
      [tool('clean.ts'), [true]],
      [tool('hidden-text.mjs'), [false]],
    ])
    expect(report.failures).toMatchObject([
      {
        source: tool('needs-process.mjs'),
        code: 'LOAD_FAILED',
        capabilities: { classes: ['process'], process: ['node:child_process'] },
      },
      { source: tool('nowhere.mjs'), code: 'LOAD_FAILED' },
    ])
    expect(report.failures.every(({ violations }) => violations.length > 0)).toBe(true)
    expect(run.stdout).not.toMatch(/[\u200b\u202e]/)
  })

  test.each([
    ['no source', [], 'CONFIG_INVALID'],
    ['an unknown profile', [tool('clean.ts'), '--profile', 'nope'], 'CONFIG_INVALID'],
    ['arguments that are no JSON', [tool('clean.ts'), '--args', '{'], 'CONFIG_INVALID'],
    ['arguments for several sources', [tool('clean.ts'), 'b.ts', '--args', '{}'], 'CONFIG_INVALID'],
    ['arguments for several tools', [tool('unsteady.mjs'), '--args', '{}'], 'CONFIG_INVALID'],
    ['a tool nobody has', [tool('clean.ts'), '--tool', 'nope'], 'UNKNOWN_TOOL'],
    ['a time that is none', [tool('clean.ts'), '--timeout', 'soon'], 'CONFIG_INVALID'],
  ])('exits 2 and says one line about %s', async (_what, args, code) => {
    const run = await caisson(['check', ...args, '--json'])
    expect(run.code).toBe(2)
    expect(onlyObject(run)).toMatchObject({ isError: true, error: { code } })
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('exits 130 when it is interrupted, although a tool hangs', async () => {
    const hangs = ['check', tool('ignores-signal.mjs'), '--tool', 'hangs', '--timeout', '60s']
    const child = spawn(process.execPath, ['bin/caisson.mjs', ...hangs], {
      cwd: ROOT,
      stdio: 'ignore',
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    // The runner is up once the command listens; how long that takes depends on the machine.
    await until(() => listDescendants(child.pid ?? 0).length > 0, 30_000)
    await sleep(500)
    const nagging = setInterval(() => child.kill('SIGINT'), 2_000)
    child.kill('SIGINT')
    const code = await ended
    clearInterval(nagging)
    expect(code).toBe(130)
  })
})

describe('caisson list', () => {
  test('ATK-124 flags texts that hide something and shows them escaped', async () => {
    const shown = await caisson(['list', tool('hidden-text.mjs')])
    expect(shown.code).toBe(0)
    expect(shown.stdout).toContain('add  Adds two\\u200b numbers.')
    expect(shown.stdout).toContain('! description has invisible characters')
    expect(shown.stdout).toContain('! parameters.properties.a.description has characters that')
    expect(shown.stdout).not.toMatch(/[\u200b\u202e]/)
    const listed = onlyObject(await caisson(['list', tool('hidden-text.mjs'), '--json']))
    const { tools } = listed as { tools: { name: string; warnings?: string[] }[] }
    expect(tools.map(({ name, warnings }) => [name, warnings?.length])).toEqual([['add', 3]])
  })

  test('says nothing of the kind about other tools', async () => {
    const listed = onlyObject(await caisson(['list', tool('clean.ts'), '--json']))
    const { tools } = listed as { tools: object[] }
    expect(tools).toHaveLength(1)
    expect(tools[0]).not.toHaveProperty('warnings')
  })
})
