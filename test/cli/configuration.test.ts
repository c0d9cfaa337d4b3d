import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeConfined } from '../helpers/confined.ts'
import { listMarked } from '../helpers/marked-processes.ts'
import { caisson, onlyObject, ROOT } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

const DIFF = join(ROOT, 'examples/community/json-diff.mjs')
const SERVERS = join(ROOT, 'test/fixtures/mcp')

let folder = ''
const file = (name: string): string => join(folder, name)
const write = (name: string, config: unknown): string => {
  writeFileSync(file(name), typeof config === 'string' ? config : JSON.stringify(config))
  return file(name)
}
const tool = (name: string, body = `'${name}'`): string =>
  `export const parameters = { type: 'object' }; export const name = '${name}';` +
  `export const description = 'Says ${name}.'; export default async () => ${body}`

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'caisson-configuration-'))
  mkdirSync(file('sub'))
  writeFileSync(file('sub/one.mjs'), tool('first_tool'))
  writeFileSync(file('sub/two.mjs'), tool('second_tool'))
  write('two.json', { sources: ['sub/one.mjs', { source: 'sub/two.mjs', name: 'the second' }] })
})
afterAll(() => removeFolder(folder))

describe('a configuration on the command line', { timeout: 60_000 }, () => {
  test('list shows what it loads, under the names it gives', async () => {
    const run = await caisson(['list', '--config', file('two.json'), '--json'])
    expect([run.code, run.stderr]).toEqual([0, ''])
    const { tools, failures } = onlyObject(run) as { tools: object[]; failures: object[] }
    expect(failures).toEqual([])
    expect(tools).toMatchObject([
      { source: file('sub/one.mjs'), name: 'first_tool', profile: 'pure' },
      { source: 'the second', name: 'second_tool' },
    ])
  })

  test('list says with file and key what cannot be loaded, and shows the rest', async () => {
    const config = write('half.json', { sources: ['sub/one.mjs', 'sub/gone.mjs', 'sub/one.mjs'] })
    const run = await caisson(['list', DIFF, '--config', config])
    expect(run.code).toBe(2)
    expect(run.stdout).toContain('first_tool')
    expect(run.stdout).toContain('json_diff')
    const [missing = '', twice = '', ...more] = run.stderr.trimEnd().split('\n')
    expect(more).toEqual([])
    expect(missing).toContain(`LOAD_FAILED: ${config}: sources.1: `)
    expect(twice).toContain(`${config}: sources.2: a tool named 'first_tool' exists`)
  })

  test('run calls a tool of it by name, under the settings it gives', async () => {
    const config = write('limits.json', {
      sources: [
        { source: 'sub/loop.mjs', timeoutMs: 20_000, tools: { spin: { timeoutMs: 9_000 } } },
      ],
    })
    writeFileSync(file('sub/loop.mjs'), tool('spin', '{ for (;;); }').replace('async', ''))
    const run = await caisson(['run', 'second_tool', '--config', file('two.json'), '--json'])
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(onlyObject(run)).toMatchObject({ tool: 'second_tool', value: 'second_tool' })
    const late = await caisson(['run', '--config', config, '--timeout', '300', '--json'])
    expect(late.code).toBe(4)
    expect(late.stdout).toContain('300 ms')
    expect(onlyObject(late)).toMatchObject({ error: { code: 'TOOL_TIMEOUT' } })
  })

  test('a path is a source beside a configuration, whatever that loads', async () => {
    const config = file('two.json')
    const args = ['--args', '{"before":1,"after":2}', '--json']
    const run = await caisson(['run', DIFF, '--config', config, ...args])
    expect(onlyObject(run)).toMatchObject({ tool: 'json_diff', isError: false })
    const gone = await caisson(['run', './first_tool', '--config', config])
    expect([gone.code, gone.stdout]).toEqual([2, ''])
    expect(gone.stderr).toContain('no such file or directory')
  })

  test.each([
    [
      ['run', 'first_tol'],
      "there is no tool 'first_tol' in FILE, and no such file; did you mean 'first_tool'?",
    ],
    [['run', 'first_tool', '--profile', 'pure'], '--profile goes with a source'],
  ])('%j is one line', async ([command = '', ...rest], text) => {
    const run = await caisson([command, ...rest, '--config', file('two.json')])
    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain(text.replace('FILE', file('two.json')))
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('without --config a name is no tool, and a file that lies here is only pointed at', async () => {
    const name = await caisson(['run', 'first_tool'])
    expect(name.code).toBe(2)
    expect(name.stderr).toContain('the name of a tool goes with --config')
    write('caisson.config.json', { sources: ['sub/one.mjs'] })
    const here = await caisson(['list'], '', file('state'), folder)
    expect(here.code).toBe(2)
    expect(here.stderr).toContain('used only with --config caisson.config.json')
  })

  test('bench and explain know its tools', async () => {
    const config = ['--config', file('two.json'), '--json']
    const bench = await caisson([
      'bench',
      'first_tool',
      '--requests',
      '3',
      '--warmup',
      '0',
      ...config,
    ])
    expect([bench.code, bench.stderr]).toEqual([0, ''])
    expect(onlyObject(bench)).toMatchObject({ source: file('two.json'), calls: { ok: 3 } })
    const known = await caisson(['explain', 'first_tool', ...config])
    expect([known.code, known.stderr]).toEqual([0, ''])
    expect(onlyObject(known)).toMatchObject({ verdict: 'allow' })
    const unknown = await caisson(['explain', 'first_tol', ...config])
    expect(unknown.stderr).toContain("only its name is judged; did you mean 'first_tool'?")
  })

  test('its profiles can be shown and named', async () => {
    const config = write('profiles.json', { profiles: [{ name: 'mine', engine: 'isolate' }] })
    const all = await caisson(['profiles', '--config', config])
    expect(all.stdout).toMatch(/^mine /m)
    const one = await caisson(['profiles', 'mine', '--config', config])
    expect([one.code, one.stdout.split('\n')[0]]).toEqual([0, 'mine (isolate engine)'])
  })
})

test('a configuration that is no good is one line with file and key', async () => {
  const path = write('bad.json', { approval: { timeoutActoin: 'reject' } })
  const run = await caisson(['explain', 'bash', '--config', path])
  expect([run.code, run.stdout]).toEqual([2, ''])
  const text = "approval.timeoutActoin: unknown key; did you mean 'timeoutAction'?"
  expect(run.stderr).toBe(`caisson: CONFIG_INVALID: ${path}: ${text}\n`)
})

describeConfined('servers of a configuration', () => {
  test('are listed and called by every command, and end with it', async () => {
    const marker = `--${randomUUID()}`
    const config = write('server.json', {
      mcpServers: { fix: { command: 'node', args: ['server.mjs', marker], cwd: SERVERS } },
    })
    const list = await caisson(['list', '--config', config, '--json'])
    expect(onlyObject(list)['failures']).toEqual([])
    expect(list.stdout).toContain('"mcp__fix__echo"')
    const args = ['--args', '{"text":"hi"}', '--approve', 'always', '--json']
    const run = await caisson(['run', 'mcp__fix__echo', '--config', config, ...args])
    expect(onlyObject(run)).toMatchObject({ isError: false, profile: 'mcp-server' })
    const late = ['--timeout', '300', '--approve', 'always', '--json']
    const silent = await caisson(['run', 'mcp__fix__silent', '--config', config, ...late])
    expect(silent.code).toBe(4)
    expect(listMarked(marker)).toEqual([])
  }, 60_000)
})
