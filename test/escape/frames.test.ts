import { expect, test } from 'vitest'
import { patience } from './attack.ts'
import { createFakeEngine, type Heard } from './fake-runner.ts'

/** What comes of one call that `script` answers; afterwards its runner must be gone. */
async function callFake(script: string, limits?: object): Promise<Heard> {
  const fake = createFakeEngine(script, limits === undefined ? {} : { limits })
  const loaded = await fake.load()
  const [pid] = fake.engine.pids()
  const heard = await fake.run(loaded.body('fake'))
  if (heard.outcome.kind === 'died') expect(fake.engine.pids()).not.toContain(pid)
  return heard
}

const PROTOCOL = { kind: 'died', code: 'PROTOCOL_ERROR' }

test('ATK-014 half a frame is noticed after a second', async () => {
  const { outcome, ms } = await callFake('const called = () => raw(Buffer.from([0, 0, 1, 0, 65]))')
  expect(outcome).toMatchObject(PROTOCOL)
  expect(ms).toBeGreaterThanOrEqual(990)
  expect(ms).toBeLessThan(1_000 + 500 * patience())
})

test('ATK-014 a frame that drips in takes no longer than a second either', async () => {
  const script = `
    const called = async () => {
      raw(Buffer.from([0, 0, 1, 0]))
      for (;;) { raw(Buffer.from([65])); await pause(20) }
    }
  `
  const { outcome, ms } = await callFake(script)
  expect(outcome).toMatchObject(PROTOCOL)
  expect(ms).toBeLessThan(1_000 + 500 * patience())
})

test.each([
  ['a length of 2^32-1', 'const called = () => raw(Buffer.from([255, 255, 255, 255]))'],
  ['invalid UTF-8', 'const called = () => frame(Buffer.from([123, 255, 254, 125]))'],
  ['no JSON', "const called = () => frame('{')"],
  ['an array', "const called = () => frame('[]')"],
  ['null', "const called = () => frame('null')"],
  ['no session', "const called = (id) => frame(JSON.stringify({ t: 'event', id }))"],
  ['another session', "const called = (id) => frame(JSON.stringify({ t: 'event', id, s: 'x' }))"],
  ['an unknown kind of message', "const called = () => say({ t: 'hello' })"],
  ['an event without a body', "const called = (id) => say({ t: 'event', id })"],
  ['an event with a text for a body', "const called = (id) => event(id, 'settle')"],
  ['an unknown event', "const called = (id) => event(id, { k: 'hello' })"],
  ['an event with a field too many', "const called = (id) => event(id, { k: 'started', x: 1 })"],
  ['a log without a text', "const called = (id) => event(id, { k: 'log', level: 'info' })"],
  [
    'a request without a number',
    "const called = (id) => event(id, { k: 'request', n: -1, capability: 'fetch', payload: 1 })",
  ],
  ['a settle without an outcome', "const called = (id) => event(id, { k: 'settle' })"],
  ['an outcome of no kind', "const called = (id) => event(id, { k: 'settle', outcome: {} })"],
  [
    'an outcome with a code of its own',
    "const called = (id) => event(id, { k: 'settle', outcome: { kind: 'unusable', code: 'DENIED', message: '', facts: {} } })",
  ],
  ['a description', "const called = () => say({ t: 'described' }, { k: 'loaded' })"],
  ['a rest out of turn', "const called = () => say({ t: 'rested' })"],
  ['ATK-015 an unknown call', "const called = () => event('other', { k: 'started' })"],
  [
    'a body deeper than any value',
    "const called = (id) => frame(JSON.stringify({ t: 'event', id, s: session }) + '\\n' + '['.repeat(1e5) + ']'.repeat(1e5))",
  ],
  [
    'more nodes than any value',
    "const called = (id) => event(id, { k: 'settle', outcome: { kind: 'returned', value: new Array(3e5).fill(1) } })",
  ],
])('ATK-014 %s is PROTOCOL_ERROR and the end of the runner', async (_title, script) => {
  const { outcome, ms, said } = await callFake(script)
  expect(outcome).toMatchObject(PROTOCOL)
  expect(said.filter((line) => line !== 'started')).toEqual([])
  expect(ms).toBeLessThan(500 * patience())
})

test('ATK-010 a value longer than the profile allows is not even read', async () => {
  const script = `
    const called = (id) => event(id, { k: 'settle', outcome: { kind: 'returned', value: new Array(1e7).fill(1) } })
  `
  const before = process.memoryUsage.rss()
  const cpu = process.cpuUsage()
  const { outcome } = await callFake(script)
  const { user, system } = process.cpuUsage(cpu)
  expect(outcome).toMatchObject({ kind: 'died', code: 'OUTPUT_LIMIT' })
  // Starting the runner and loading are in this too.
  expect((user + system) / 1_000).toBeLessThan(400)
  expect(process.memoryUsage.rss() - before).toBeLessThan(25 * 2 ** 20)
})

test('ATK-015 of two answers the first stands', async () => {
  const script = "const called = (id) => { value(id, 'first'); value(id, 'second'); rest(id) }"
  const { outcome } = await callFake(script)
  expect(outcome).toMatchObject({ kind: 'returned', value: 'first' })
})

test('ATK-015 what is said after the answer is not heard', async () => {
  const script = `
    const called = (id) => {
      event(id, { k: 'started' })
      event(id, { k: 'log', level: 'info', text: 'in time' })
      value(id, 1)
      event(id, { k: 'log', level: 'info', text: 'late' })
      event(id, { k: 'request', n: 1, capability: 'fetch', payload: {} })
      event(id, { k: 'context', message: 1 })
      rest(id)
    }
  `
  const { outcome, said } = await callFake(script)
  expect(outcome).toMatchObject({ kind: 'returned', value: 1 })
  expect(said).toEqual(['started', 'info in time'])
})

test('ATK-015 an answer after the cancel is no success, and its runner is not kept', async () => {
  const fake = createFakeEngine(
    'const called = async (id) => { await pause(60); value(id, 1); rest(id) }',
  )
  const loaded = await fake.load()
  const [pid] = fake.engine.pids()
  const caller = new AbortController()
  setTimeout(() => caller.abort(), 20)
  const { outcome } = await fake.run(loaded.body('fake'), caller.signal)
  // Within the grace it ends the wait; the pipeline makes ABORTED of both.
  expect(['stopped', 'returned']).toContain(outcome.kind)
  await expect.poll(() => fake.engine.pids()).not.toContain(pid)
})

test('a runner that says more than a call may say is ended', async () => {
  const script = `
    const called = async (id) => {
      for (let i = 0; i < 1e6; i++) { event(id, { k: 'conclude' }); if (i % 1000 === 0) await pause(0) }
    }
  `
  const { outcome } = await callFake(script)
  expect(outcome).toMatchObject(PROTOCOL)
})

test('a runner that defers more than a call may defer is ended', async () => {
  const script = `
    const called = async (id) => {
      for (;;) { event(id, { k: 'context', message: 'x'.repeat(2 ** 18) }); await pause(1) }
    }
  `
  const { outcome, said } = await callFake(script)
  expect(outcome).toMatchObject({ kind: 'died', code: 'OUTPUT_LIMIT' })
  expect(said.length).toBeLessThanOrEqual(5)
})

test('BUG-06 a runner that speaks while no call is live is replaced, and no call fails', async () => {
  const script = `
    const called = async (id) => { value(id, session); rest(id); await pause(30); event(id, { k: 'started' }) }
  `
  const fake = createFakeEngine(script)
  const loaded = await fake.load()
  const body = loaded.body('fake')
  const first = await fake.run(body)
  await expect.poll(() => fake.engine.pids()).toEqual([])
  const second = await fake.run(body)
  expect(second.outcome).toMatchObject({ kind: 'returned' })
  expect(second.outcome).not.toMatchObject({ value: Reflect.get(first.outcome, 'value') })
})
