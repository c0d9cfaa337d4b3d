import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listDescendants, until } from '../../src/doctor/world.ts'
import { caisson, onlyObject, ROOT } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

const BIN = join(ROOT, 'bin/caisson.mjs')
let folder = ''
const file = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-streams-'))
  const tool = (top: string, body: string): string => `${top}
    export default {
      name: 't', description: 'a tool', parameters: { type: 'object' },
      output: { schema: {}, render: (args, value) => [{ type: 'text', text: String(value) }] },
      execute: (args) => ${body},
    }`
  await writeFile(file('echo.mjs'), tool('', 'args'))
  await writeFile(file('big.mjs'), tool('', "'x'.repeat(200000)"))
  await writeFile(file('endless.mjs'), tool('for (;;) {}', '1'))
})
afterAll(() => removeFolder(folder))

test('arguments on standard input may come late', async () => {
  const child = spawn(process.execPath, [BIN, 'run', file('echo.mjs'), '--args', '-', '--json'])
  let stdout = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  await sleep(1_500)
  child.stdin.end('{"late":true}')
  await once(child, 'close')
  expect(JSON.parse(stdout)).toMatchObject({ value: { late: true } })
})

test('a reader that goes away is no error and no stack trace', async () => {
  const child = spawn(process.execPath, [BIN, 'run', file('big.mjs'), '--json'])
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdout.once('data', () => child.stdout.destroy())
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(stderr).toBe('')
  expect(code).toBe(0)
})

test('--session does not append to a file that is no session log', async () => {
  const before = await readFile(file('echo.mjs'), 'utf8')
  const run = await caisson(['run', file('echo.mjs'), '--session', file('echo.mjs'), '--json'])
  expect(run.code).toBe(2)
  expect(onlyObject(run)).toMatchObject({ error: { code: 'CONFIG_INVALID' } })
  expect(await readFile(file('echo.mjs'), 'utf8')).toBe(before)
})

test.each(['run', 'list'])(
  '%s is interrupted while it loads, with 130 and one object',
  async (command) => {
    const child = spawn(process.execPath, [BIN, command, file('endless.mjs'), '--json'])
    let stdout = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    // The runner is up once the command listens; how long that takes depends on the machine.
    await until(() => listDescendants(child.pid ?? 0).length > 0, 30_000)
    await sleep(500)
    const begun = performance.now()
    child.kill('SIGINT')
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code).toBe(130)
    expect(performance.now() - begun).toBeLessThan(3_000)
    expect(JSON.parse(stdout)).toMatchObject({ isError: true })
  },
)

test.each([
  [['run', 'x.mjs', '--memory', '1'], '--memory'],
  [['run', 'x.mjs', '--memory', '99999'], '--memory'],
  [['run', 'x.mjs', '--timeout', '2147483648'], '--timeout'],
  [['run', 'x.mjs', '--workspace', '/no/such/folder'], '--workspace'],
  [['help', 'nope'], 'no such command'],
])('%j names what is wrong', async (args, word) => {
  const run = await caisson(args)
  expect(run.code).toBe(2)
  expect(run.stderr).toContain(word)
})
