import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caisson, onlyObject } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

let folder = ''
const tool = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-cli-'))
  const definition = (name: string, body: string, more = ''): string => `
    export default {
      name: '${name}', description: 'a tool', ${more}
      parameters: { type: 'object', properties: { n: { type: 'number' } } },
      output: { schema: {}, render: (args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
      async execute(args, exec) { ${body} },
    }`
  await writeFile(tool('double.mjs'), definition('double', 'return { doubled: args.n * 2 }'))
  await writeFile(tool('spin.mjs'), definition('spin', 'for (;;) {}'))
  await writeFile(tool('throws.mjs'), definition('throws', 'throw new TypeError("no luck")'))
  await writeFile(
    tool('steps.mjs'),
    definition(
      'steps',
      `for (let step = 1; step <= 6; step += 1) {
        exec.progress({ progress: step, total: 6, message: 'part \\u001b[2J ' + step })
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
      return 1`,
    ),
  )
  await writeFile(tool('at-import.mjs'), 'throw new Error("broken at import")')
  await writeFile(
    tool('two.mjs'),
    `
    const one = { name: 'one', description: 'x', parameters: { type: 'object' }, output: { schema: {}, render: () => [] }, execute: () => 1 }
    export default [one, { ...one, name: 'two' }]`,
  )
  await writeFile(tool('args.json'), '{"n": 21}')
})
afterAll(() => removeFolder(folder))

describe('caisson run', () => {
  test('prints a pending and a completed card and exits 0', async () => {
    const run = await caisson(['run', tool('double.mjs'), '--args', '{"n":4}'])
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('double')
    expect(run.stdout).toContain('{"doubled":8}')
    expect(run.stderr).toBe('')
  })

  test('says how far a long call is, on standard error, and what it prints forges nothing', async () => {
    const [run, quiet] = await Promise.all([
      caisson(['run', tool('steps.mjs')]),
      caisson(['run', tool('steps.mjs'), '--json']),
    ])
    expect(run.code).toBe(0)
    expect(run.stderr).toMatch(/^steps \d(\.\d)? s, \d of 6, part .*\d\n$/)
    expect(run.stderr).not.toContain('\u001b')
    expect(run.stdout).not.toContain(' of 6')
    expect([quiet.stderr, onlyObject(quiet)['value']]).toEqual(['', 1])
  })

  test('--json prints exactly one object with the promised keys', async () => {
    const run = await caisson(['run', tool('double.mjs'), 'double', '--args', '{"n":4}', '--json'])
    const object = onlyObject(run)
    expect(object).toMatchObject({
      callId: 'call-1',
      tool: 'double',
      isError: false,
      value: { doubled: 8 },
      content: [{ type: 'text', text: '{"doubled":8}' }],
      attempts: [{ attempt: 1, started: true }],
      engine: 'isolate',
      profile: 'pure',
    })
    expect(Object.keys(object['timings'] as object).toSorted()).toEqual(
      ['bodyMs', 'prepareMs', 'queueMs', 'totalMs'].toSorted(),
    )
    expect(run.code).toBe(0)
  })

  test('takes arguments from a file and from standard input', async () => {
    const fromFile = await caisson([
      'run',
      tool('double.mjs'),
      '--args',
      `@${tool('args.json')}`,
      '--json',
    ])
    expect(onlyObject(fromFile)['value']).toEqual({ doubled: 42 })
    const fromStdin = await caisson(['run', tool('double.mjs'), '--args', '-', '--json'], '{"n":5}')
    expect(onlyObject(fromStdin)['value']).toEqual({ doubled: 10 })
  })

  test('kills a busy loop at its deadline, exits 4, and leaves no process', async () => {
    const run = await caisson(['run', tool('spin.mjs'), '--timeout', '300', '--json'])
    expect(run.code).toBe(4)
    const object = onlyObject(run)
    expect(object['error']).toMatchObject({ code: 'TOOL_TIMEOUT', ms: 300, started: true })
    expect((object['timings'] as { totalMs: number }).totalMs).toBeLessThan(1_000)
  })

  test('--config sets what the command line does not', async () => {
    await writeFile(tool('host.json'), '{"defaults":{"timeoutMs":200}}')
    const run = await caisson(['run', tool('spin.mjs'), '--config', tool('host.json'), '--json'])
    expect(onlyObject(run)).toMatchObject({
      profile: 'pure',
      error: { code: 'TOOL_TIMEOUT', ms: 200 },
    })
    await writeFile(tool('bad.json'), '{"defaults":{"timeout":200}}')
    const bad = await caisson(['run', tool('spin.mjs'), '--config', tool('bad.json'), '--json'])
    expect(bad.code).toBe(2)
    expect(onlyObject(bad)).toMatchObject({ error: { code: 'CONFIG_INVALID' } })
    expect(bad.stderr).toContain('bad.json')
  })

  test('exits 1 for a body that throws, with its own name kept as data', async () => {
    const run = await caisson(['run', tool('throws.mjs'), '--json'])
    expect(run.code).toBe(1)
    expect(onlyObject(run)['error']).toMatchObject({
      code: 'TOOL_ERROR',
      message: 'no luck',
      thrown: { name: 'TypeError' },
    })
  })

  test('writes the events of the call to --session', async () => {
    const log = tool('session.jsonl')
    await caisson(['run', tool('double.mjs'), '--args', '{"n":1}', '--session', log])
    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'tool/call',
      'tool/result',
    ])
    expect((await caisson(['replay', log])).stdout).toContain('{"doubled":2}')
  })

  test.each([
    ['a missing file', ['run', 'no-such-file.ts'], 2, 'LOAD_FAILED'],
    ['arguments that are no JSON', ['run', 'double.mjs', '--args', '{n}'], 2, 'CONFIG_INVALID'],
    ['an unknown tool', ['run', 'double.mjs', 'triple'], 2, 'UNKNOWN_TOOL'],
    ['an unknown profile', ['run', 'double.mjs', '--profile', 'nope'], 2, 'CONFIG_INVALID'],
    ['an unknown option', ['run', 'double.mjs', '--nope'], 2, 'CONFIG_INVALID'],
    ['a timeout that is no time', ['run', 'double.mjs', '--timeout', 'soon'], 2, 'CONFIG_INVALID'],
    ['a missing argument file', ['run', 'double.mjs', '--args', '@nope.json'], 2, 'CONFIG_INVALID'],
    ['a tool that throws at import', ['run', 'at-import.mjs'], 2, 'LOAD_FAILED'],
    ['a source with two tools and none named', ['run', 'two.mjs'], 2, 'CONFIG_INVALID'],
    ['arguments that do not fit', ['run', 'double.mjs', '--args', '{"n":"x"}'], 1, 'INVALID_ARGS'],
  ])('says one line about %s', async (_what, args, code, error) => {
    const [command = '', file = '', ...rest] = args
    const source = file.startsWith('no-such') ? file : tool(file)
    const run = await caisson([command, source, ...rest, '--json'])
    expect(run.code).toBe(code)
    expect(onlyObject(run)).toMatchObject({ isError: true, error: { code: error } })
    expect(run.stderr).not.toMatch(/\n\s+at /)
    if (code === 2) expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('caisson list', () => {
  test('lists what it can, names what it cannot, and exits 2', async () => {
    const run = await caisson([
      'list',
      tool('double.mjs'),
      tool('at-import.mjs'),
      tool('two.mjs'),
      '--json',
    ])
    expect(run.code).toBe(2)
    const object = onlyObject(run) as { tools: { name: string }[]; failures: object[] }
    expect(object.tools.map(({ name }) => name)).toEqual(['double', 'one', 'two'])
    expect(object.tools[0]).toMatchObject({
      source: tool('double.mjs'),
      format: 'definition',
      profile: 'pure',
      engine: 'isolate',
      state: 'fresh',
    })
    expect(object.failures).toEqual([
      expect.objectContaining({ source: tool('at-import.mjs'), code: 'LOAD_FAILED' }),
    ])
  })
})

describe('caisson', () => {
  test('without a command shows its help and exits 2', async () => {
    const run = await caisson([])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('Usage: caisson')
    expect(run.stdout).toBe('')
  })

  test('--help exits 0', async () => {
    const run = await caisson(['--help'])
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('Exit codes')
  })

  test('profiles explains one in words', async () => {
    const run = await caisson(['profiles', 'pure'])
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('30000 ms')
  })
})
