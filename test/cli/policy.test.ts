import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToolHost } from '../../src/index.ts'
import { caisson, onlyObject } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

let folder = ''
const at = (name: string): string => join(folder, name)
const bash = (command: string): string => JSON.stringify({ command })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-policy-'))
})
afterAll(() => removeFolder(folder))

async function put(name: string, text: string): Promise<string> {
  await writeFile(at(name), text)
  return at(name)
}

describe('caisson explain', () => {
  test('says the verdict, who decides, how grave it is and why', async () => {
    const run = await caisson(['explain', 'bash', '--args', bash('git push')])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout.trimEnd().split('\n')).toEqual([
      'bash would ask (a model may settle it)',
      '  decided by  assessment',
      '  risk        MEDIUM, gitPush',
      expect.stringMatching(/^ {2}because {5}\S.* \(GIT_PUSH\)$/),
      '  codes       GIT_PUSH',
    ])
  })

  test.each([
    ['ls', { verdict: 'allow', by: 'assessment', risk: 'LOW', category: 'read', locked: false }],
    ['cat .env', { verdict: 'ask', code: 'SECRET_READ', risk: 'HIGH', locked: true }],
    ['sudo ls', { verdict: 'deny', code: 'PRIVILEGE_COMMAND', by: 'guard', severity: 'fatal' }],
  ])('--json of `%s` is one object with the promised keys', async (command, expected) => {
    const state = at('unused-state')
    const run = await caisson(['explain', 'bash', '--args', bash(command), '--json'], '', state)
    const object = onlyObject(run)
    expect(Object.keys(object).toSorted()).toEqual(
      'by category code codes eligible locked reason risk severity verdict'.split(' '),
    )
    expect(object).toMatchObject(expected)
    expect(object['codes']).toContain(object['code'])
    expect(run.code).toBe(0)
    const kept = readdirSync(state, { recursive: true }).map(String)
    expect(kept.filter((name) => name.endsWith('.jsonl'))).toEqual([])
  })

  test('a configuration with comments and trailing commas counts', async () => {
    const config = await put(
      'rules.json',
      `{
        // Nobody pushes from here.
        "approval": { "rules": [{ "id": "no-push", "tools": ["bash"], "match": "^git push", "decide": "deny" },] },
      }`,
    )
    const args = ['explain', 'bash', '--args', bash('git push'), '--config', config, '--json']
    expect(onlyObject(await caisson(args))).toMatchObject({ verdict: 'deny', by: 'rule no-push' })
  })

  test.each([
    ['{ "aproval": true }', "aproval: unknown key; did you mean 'approval'?"],
    [
      '{ "approval": { "timeoutActoin": "reject" } }',
      "approval.timeoutActoin: unknown key; did you mean 'timeoutAction'?",
    ],
    ['{\n  // why\n  "approval" true\n}', 'no valid JSON: colon expected at line 3, column 14'],
  ])('of %j it says in one line what is wrong', async (text, message) => {
    const config = await put('wrong.json', text)
    const run = await caisson(['explain', 'bash', '--config', config])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(/^caisson: CONFIG_INVALID: [^\n]*\n$/)
    expect(run.stderr.trimEnd().endsWith(message)).toBe(true)
  })
})

describe('caisson policy test', () => {
  const samples = (expected: string): string => `{
    // The tests of the project run unasked.
    "rules": [{ "id": "tests", "tools": ["bash"], "match": "^npm test$", "decide": "allow" }],
    "samples": [
      { "tool": "bash", "arguments": ${bash('npm test')}, "expect": "${expected}" },
      { "tool": "bash", "arguments": ${bash('npm test; rm x')}, "expect": "none" },
    ]
  }`

  test('exits 0 when every sample has the verdict it expects', async () => {
    const file = await put('good.json', samples('allow'))
    const run = await caisson(['policy', 'test', file])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('✔ bash {"command":"npm test"}: allow by tests\n')
    expect(run.stdout.endsWith('2 of 2 samples as expected\n')).toBe(true)
  })

  test('exits 1 when one has another, and says which', async () => {
    const file = await put('surprise.json', samples('deny'))
    const run = await caisson(['policy', 'test', file])
    expect(run).toMatchObject({ code: 1, stderr: '' })
    expect(run.stdout).toContain('✘ bash {"command":"npm test"}: allow by tests, expected deny\n')
    const json = await caisson(['policy', 'test', file, '--json'])
    expect(json.code).toBe(1)
    expect(onlyObject(json)).toMatchObject({
      failed: 1,
      samples: [
        { rule: 'tests', verdict: 'allow', ok: false },
        { verdict: 'none', ok: true },
      ],
    })
  })

  test.each([
    ['{\n  "samples": [\n    {"tool" "bash"}\n  ]\n}', 'colon expected at line 3, column 13'],
    [
      `{ "samples": [{ "tool": "bash", "arguments": {}, "expcet": "allow" }] }`,
      "samples.0.expcet: unknown key; did you mean 'expect'?",
    ],
  ])('of %j it says in one line what is wrong', async (text, message) => {
    const file = await put('bad.json', text)
    const run = await caisson(['policy', 'test', file])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(/^caisson: CONFIG_INVALID: samples [^\n]*\n$/)
    expect(run.stderr).toContain(`${file}: `)
    expect(run.stderr).toContain(message)
  })
})

describe('caisson history', () => {
  test('of a state folder without decisions is empty, and makes none', async () => {
    const state = at('empty-state')
    const run = await caisson(['history'], '', state)
    expect(run).toMatchObject({ code: 0, stdout: 'no decisions are recorded here\n', stderr: '' })
    const counts = { executions: 0, sources: {} }
    const json = await caisson(['history', '--json'], '', state)
    expect(onlyObject(json)).toMatchObject({ decisions: [], counts })
    expect(existsSync(state)).toBe(false)
  })

  test('lists what a run decided, and never its arguments', { timeout: 60_000 }, async () => {
    const tool = await put(
      'one.mjs',
      `export default {
        name: 'one', description: 'a tool',
        parameters: { type: 'object', properties: { word: { type: 'string' } } },
        output: { schema: {}, render: () => [] },
        execute: () => 1,
      }`,
    )
    const state = at('state')
    const ran = await caisson(['run', tool, '--args', '{"word":"zanzibar"}'], '', state)
    expect(ran.code).toBe(0)
    const listed = await caisson(['history'], '', state)
    expect(listed.stdout).toMatch(/^\d{4}-\d\d-\d\dT\S+Z {2}allowed {5}one \([^\n]+\n$/)
    const json = await caisson(['history', '--json', '--since', '2000-01-01'], '', state)
    const decision = { type: 'decision', tool: 'one', outcome: 'allowed', agent: 'cli' }
    expect(onlyObject(json)).toMatchObject({
      decisions: [{ ...decision, source: 'static-allow', tier: 'LOW' }],
      counts: { executions: 1, outcomes: { allowed: 1, denied: 0, cancelled: 0, unavailable: 0 } },
    })
    expect(json.stdout).not.toContain('zanzibar')
    const later = await caisson(['history', '--since', '2999-01-01T00:00+02:00'], '', state)
    expect(later.stdout).toBe('no decisions are recorded here\n')
  })

  test('a time that is none is refused in one line', async () => {
    const run = await caisson(['history', '--since', 'yesterday'])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(
      /^caisson: CONFIG_INVALID: [^\n]*--since takes an ISO 8601 [^\n]*\n$/,
    )
  })
})

describe('caisson init', () => {
  test('writes a file that a host takes as it is, and never replaces one', async () => {
    const file = at('caisson.config.json')
    const run = await caisson(['init', file])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toBe(`wrote ${file}; use it with --config ${file}\n`)
    const written = await readFile(file, 'utf8')
    expect(written).toMatch(/^ *\/\/ /m)

    await using host = createToolHost({ config: file, stateDir: at('init-state') })
    const push = { name: 'bash', arguments: { command: 'git push' } }
    expect(host.approval.explain(push)).toMatchObject({ verdict: 'ask', code: 'GIT_PUSH' })

    const again = await caisson(['init', file])
    expect(again).toMatchObject({ code: 2, stdout: '' })
    expect(again.stderr).toMatch(
      /^caisson: CONFIG_INVALID: [^\n]*it exists; name another file[^\n]*\n$/,
    )
    expect(await readFile(file, 'utf8')).toBe(written)
  })

  test('says so when the folder is not there', async () => {
    const run = await caisson(['init', at('no/such.json'), '--json'])
    expect(run.code).toBe(2)
    expect(onlyObject(run)).toMatchObject({ isError: true, error: { code: 'CONFIG_INVALID' } })
  })
})
