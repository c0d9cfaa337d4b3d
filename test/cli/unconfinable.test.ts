import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { removeFolder } from '../helpers/folders.ts'

vi.setConfig({ testTimeout: 120_000 })

const folder = mkdtempSync(join(tmpdir(), 'caisson-cli-'))
afterAll(() => removeFolder(folder))
const BIN = fileURLToPath(new URL('../../bin/caisson.mjs', import.meta.url))

test('ATK-101 `caisson run` of a program that cannot be confined exits with 5 and starts nothing', () => {
  const marker = join(folder, 'ran')
  const file = join(folder, 'mark.tool.json')
  const manifest = { name: 'mark', description: '', parameters: { type: 'object' } }
  writeFileSync(file, JSON.stringify({ ...manifest, command: ['touch', marker] }))
  const { status, stdout } = spawnSync(
    process.execPath,
    [BIN, 'run', file, '--profile', 'shell', '--approve', 'always', '--args', '{}', '--json'],
    {
      env: { PATH: folder, HOME: folder },
      encoding: 'utf8',
      timeout: 60_000,
    },
  )
  expect(status).toBe(5)
  expect(JSON.parse(stdout)).toMatchObject({
    isError: true,
    error: { code: 'SANDBOX_UNAVAILABLE' },
  })
  expect(existsSync(marker)).toBe(false)
})

test('`caisson run` and `caisson list` say that nothing confines an isolate here, and that it ran', () => {
  const file = join(folder, 'adds.mjs')
  writeFileSync(
    file,
    `export const adds = { name: 'adds', description: 'adds one', parameters: { type: 'object' },
      output: { schema: {}, render: () => [{ type: 'text', text: 'done' }] },
      async execute(args) { return args.a + 1 } }`,
  )
  const caisson = (...args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [BIN, ...args, '--json'], {
      env: { PATH: folder, HOME: folder },
      encoding: 'utf8',
      timeout: 60_000,
    })
  const ran = caisson('run', file, '--args', '{"a":1}')
  expect(ran.status).toBe(0)
  const result: unknown = JSON.parse(String(ran.stdout))
  expect(result).toMatchObject({ isError: false, value: 2 })
  expect(result).not.toHaveProperty('confinement')
  expect(String(ran.stderr)).toMatch(/nothing confines what it runs in: .*bubblewrap/)
  const listed = caisson('list', file)
  expect(JSON.parse(String(listed.stdout))).toMatchObject({
    tools: [{ name: 'adds', confinement: 'none' }],
  })
})

test('`caisson run` of an isolate that has to be confined exits with 5 where nothing can be', () => {
  const file = join(folder, 'strict.json')
  const config = { profiles: [{ name: 'walled', engine: 'isolate', confinement: 'required' }] }
  writeFileSync(file, JSON.stringify(config))
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      BIN,
      'run',
      join(folder, 'adds.mjs'),
      '--profile',
      'walled',
      '--config',
      file,
      '--args',
      '{}',
      '--json',
    ],
    { env: { PATH: folder, HOME: folder }, encoding: 'utf8', timeout: 60_000 },
  )
  expect(JSON.parse(stdout)).toMatchObject({
    isError: true,
    error: {
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('apt-get install') as string,
    },
  })
  expect(status).toBe(5)
})
