import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../helpers/folders.ts'
import { patience } from './attack.ts'
import { createFakeEngine, type Heard } from './fake-runner.ts'

async function callFake(script: string): Promise<Heard> {
  const fake = createFakeEngine(script)
  const loaded = await fake.load()
  return fake.run(loaded.body('fake'))
}

test.each([0, 7])('BUG-01 a runner that exits with %i is TOOL_CRASHED at once', async (code) => {
  const { outcome, ms } = await callFake(
    `const called = (id) => { event(id, { k: 'started' }); process.exit(${code}) }`,
  )
  expect(outcome).toMatchObject({
    kind: 'died',
    code: 'TOOL_CRASHED',
    facts: { exitCode: code },
  })
  expect(outcome).toHaveProperty('facts.lifetimeMs')
  expect(ms).toBeLessThan(250 * patience())
})

test.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'])(
  'a runner ended by %s is TOOL_CRASHED',
  async (signal) => {
    const { outcome } = await callFake(
      `const called = (id) => { event(id, { k: 'started' }); process.kill(process.pid, '${signal}') }`,
    )
    expect(outcome).toMatchObject({ kind: 'died', code: 'TOOL_CRASHED', facts: { signal } })
  },
)

test('ATK-053 after its catastrophe line a runner is not waited for', async () => {
  const script = `
    const called = (id) => {
      event(id, { k: 'started' })
      require('node:fs').writeSync(2, 'caisson-runner: catastrophe: out of memory\\n')
      process.on('exit', () => { for (;;); })
      process.exit()
    }
  `
  const { outcome, ms } = await callFake(script)
  expect(outcome).toMatchObject({ kind: 'died', code: 'TOOL_OUT_OF_MEMORY', started: true })
  expect(ms).toBeLessThan(500 * patience())
})

test.each([
  ['Fatal process out of memory: Zone', 'SIGTRAP'],
  ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', 'SIGABRT'],
  ['# Fatal JavaScript invalid size error 169220804', 'SIGTRAP'],
  ["terminate called after throwing an instance of 'std::bad_alloc'", 'SIGABRT'],
])('last words of "%s" make a death one of memory', async (words, signal) => {
  const { outcome } = await callFake(`
    const called = (id) => {
      event(id, { k: 'started' })
      require('node:fs').writeSync(2, ${JSON.stringify(words)} + '\\n')
      process.kill(process.pid, '${signal}')
    }
  `)
  expect(outcome).toMatchObject({ kind: 'died', code: 'TOOL_OUT_OF_MEMORY' })
})

test('BUG-37 what was said before the end is heard', async () => {
  const script = `
    const called = (id) => {
      event(id, { k: 'started' })
      for (let i = 0; i < 300; i++) event(id, { k: 'log', level: 'info', text: String(i) })
      process.kill(process.pid, 'SIGKILL')
    }
  `
  const { outcome, said } = await callFake(script)
  expect(outcome).toMatchObject({ kind: 'died', code: 'TOOL_CRASHED', started: true })
  expect(said).toHaveLength(301)
  expect(said.at(-1)).toBe('info 299')
})

test('an answer that was given before the end counts', async () => {
  const script =
    "const called = (id) => { value(id, 'whole'); process.kill(process.pid, 'SIGKILL') }"
  const { outcome } = await callFake(script)
  expect(outcome).toMatchObject({ kind: 'returned', value: 'whole' })
})

test.each([
  ['exits before it is ready', 'process.exit(78)'],
  ['never is ready', ''],
])('BUG-16 a runner that %s is ENGINE_UNAVAILABLE', async (_title, boot) => {
  const fake = createFakeEngine('const called = () => 0', { boot, loadTimeoutMs: 700 })
  const begun = performance.now()
  await expect(fake.load()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  expect(performance.now() - begun).toBeLessThan(700 + 1_000 * patience())
})

test('a runner that stops reading is ended at the deadline all the same', async () => {
  const script = `
    const called = () => process.kill(process.pid, 'SIGSTOP')
  `
  const fake = createFakeEngine(script)
  const loaded = await fake.load()
  const { outcome, ms } = await fake.run(loaded.body('fake'), AbortSignal.timeout(300))
  expect(outcome).toMatchObject({ kind: 'stopped' })
  expect(outcome).not.toHaveProperty('unconfirmed')
  expect(ms).toBeLessThan(350 + 500 * patience())
})

test.each([
  [1, { kind: 'returned', value: 'served' }],
  [2, { kind: 'died', code: 'TOOL_CRASHED', started: false }],
])('BUG-06 of runners that die before the body %i cost no call', async (deaths, expected) => {
  // A runner can write no file, but it can make a folder, by which the next one knows.
  const marker = join(makeFolder('caisson-escape-'), 'died-')
  const script = `
    const fs = require('node:fs')
    const called = (id, { args }) => {
      for (let death = 1; death <= args.deaths; death++) {
        try { fs.mkdirSync(args.marker + death) } catch { continue }
        process.exit(9)
      }
      event(id, { k: 'started' })
      value(id, 'served')
      rest(id)
    }
  `
  const fake = createFakeEngine(script, {
    args: { deaths, marker },
    profile: { confinement: 'none' },
  })
  const loaded = await fake.load()
  const { outcome } = await fake.run(loaded.body('fake'))
  expect(outcome).toMatchObject(expected)
})
