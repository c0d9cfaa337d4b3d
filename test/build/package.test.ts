import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caisson, ROOT } from '../cli/caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

const run = promisify(execFile)
const MINUTES = 60_000
let folder = ''

/** A fenced block of the README by its file name. */
async function readmeBlock(file: string): Promise<string> {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8')
  const block = new RegExp(`^\`\`\`js file=${file}[^\n]*\n([^]*?)^\`\`\``, 'm').exec(text)?.[1]
  if (block === undefined) throw new Error(`README.md has no block file=${file}`)
  return block
}

async function packed(args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run('npx', ['caisson', ...args, '--json'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  return JSON.parse(stdout) as Record<string, unknown>
}

function withoutTimes(record: Record<string, unknown>): unknown {
  return JSON.parse(
    JSON.stringify(record, (key, value: unknown) => (/ms$/i.test(key) ? undefined : value)),
  )
}

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'caisson-pack-')))
  await run('npm', ['run', '--silent', 'build'], { cwd: ROOT })
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: ROOT,
  })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', `./${stdout.trim()}`],
    {
      cwd: folder,
    },
  )
  for (const file of ['hello.mjs', 'harness.mjs']) {
    await writeFile(join(folder, file), await readmeBlock(file))
  }
}, 4 * MINUTES)
afterAll(() => removeFolder(folder))

describe('the packed product', () => {
  test('runs the tool of the README from the tarball in an empty folder', async () => {
    const { stdout } = await run(
      'npx',
      ['caisson', 'run', 'hello.mjs', '--args', '{"who":"world"}'],
      {
        cwd: folder,
      },
    )
    expect(stdout).toContain('Hello, world!')
  })

  test('runs the harness of the README', async () => {
    const { stdout } = await run('node', ['harness.mjs'], { cwd: folder })
    expect(stdout).toBe("{ text: 'Hello, Ada!' }\nUNKNOWN_TOOL\n")
    const log = await readFile(join(folder, 'session.jsonl'), 'utf8')
    expect(log.match(/"type":"tool\/result"/g)).toHaveLength(2)
  })

  test.each([
    ['csv-stats.ts', 'csv_stats', '{"csv":"a,b\\n1,2\\n3,4"}'],
    ['text-toolkit.ts', 'text_slug', '{"text":"A title"}'],
    ['markdown-outline.ts', 'markdown_outline', '{"markdown":"# One"}'],
    ['json-diff.mjs', 'json_diff', '{"before":{"a":1},"after":{"a":"2"}}'],
  ])('behaves like the checkout: %s', async (file, tool, args) => {
    const source = join(ROOT, 'examples/community', file)
    const built = await packed(['run', source, tool, '--args', args])
    const unbuilt = await caisson(['run', source, tool, '--args', args, '--json'])
    expect(built['isError']).toBe(false)
    expect(withoutTimes(built)).toEqual(
      withoutTimes(JSON.parse(unbuilt.stdout) as Record<string, unknown>),
    )
  })

  test('writes the report page of a load test, charts and all', async () => {
    const source = join(ROOT, 'examples/community/json-diff.mjs')
    const args = ['--args', '{"before":1,"after":2}', '--requests', '5', '--warmup', '0']
    const report = await packed(['bench', source, ...args, '--report', 'report.html'])
    expect(report['calls']).toMatchObject({ offered: 5, ok: 5 })
    const page = await readFile(join(folder, 'report.html'), 'utf8')
    expect(page).toContain('var uPlot=')
    expect(page).toContain('Load test: json_diff')
  })

  test('kills a busy loop like the checkout does', async () => {
    const source = join(ROOT, 'examples/hostile/busy-loop.mjs')
    const built = await packed(['run', source, '--timeout', '300'])
    expect(built['error']).toMatchObject({ code: 'TOOL_TIMEOUT', ms: 300 })
  })
})
