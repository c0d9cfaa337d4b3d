import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLookout } from '../../../src/engine/thread/lookout.ts'
import { toSuccess } from '../../helpers/make-call.ts'
import { createRig, type Rig } from '../contract/rig.ts'

let rig: Rig
beforeAll(async () => {
  rig = await createRig('thread')
  await rig.load('node-tools.ts')
})
afterAll(() => rig.host.close())

const callInARow = async (ms: number): Promise<number> => {
  const until = performance.now() + ms
  let calls = 0
  for (; performance.now() < until; calls += 1) await rig.check()
  return calls
}

test('calls that follow one another at once keep no timer waiting', async () => {
  let last = performance.now()
  let longest = 0
  let ticks = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    ticks += 1
  }, 1)
  const calls = await callInARow(500)
  clearInterval(timer)
  expect(calls).toBeGreaterThan(500)
  expect(ticks).toBeGreaterThan(50)
  expect(longest).toBeLessThan(250)
})

/** CPU time of this process in half a second; a worker that went on looking would use all of it. */
async function idleMs(): Promise<number> {
  await sleep(100)
  const before = process.cpuUsage()
  await sleep(500)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

test('nobody looks for anything once calls have stopped', async () => {
  await callInARow(200)
  expect(await idleMs()).toBeLessThan(250)
})

// A machine that is busy elsewhere for long enough makes any worker look restless.
test(
  'a tool that stops the clock of its worker keeps it looking no longer',
  { retry: 3 },
  async () => {
    const leave = async (what: string) => toSuccess(await rig.call('leaves-on-thread', { what }))
    const { value: thread } = await leave('stopped clock')
    for (let n = 0; n < 300; n += 1) expect((await leave('nothing')).value).toBe(thread)
    expect(await idleMs()).toBeLessThan(250)
  },
)

test('an answer longer than what can be left arrives as well, and so does a call', async () => {
  await rig.load('values.ts')
  for (let n = 0; n < 20; n += 1) {
    const text = 'ü€'.repeat(1_000 * n)
    const result = toSuccess(await rig.call('echo', { value: text }))
    expect(result.value).toMatchObject({ args: { value: text } })
  }
})

test('the host looks only where the last answer was quick, and for one call at a time', () => {
  const lookout = createLookout()
  const [first, second] = [lookout.enter(), lookout.enter()]
  if (first === undefined || second === undefined) return expect(first).toBe(second)
  first.called()
  expect(first.waitUntil()).toBe(0)
  first.answered(0.01)
  first.called()
  expect(first.waitUntil()).toBeGreaterThan(0)
  second.called()
  expect(first.waitUntil()).toBe(0)
  second.answered()
  expect(first.waitUntil()).toBeGreaterThan(0)
  first.answered(1)
  first.called()
  expect(first.waitUntil()).toBe(0)
  first.answered(0.01)
  const until = performance.now() + 2
  while (performance.now() < until);
  first.called()
  // This turn of the loop has lasted long enough.
  expect(first.waitUntil()).toBe(0)
})

test('a worker that dies while it looks leaves the post to another', () => {
  const lookout = createLookout()
  const [first, second] = [lookout.enter(), lookout.enter()]
  if (first === undefined || second === undefined) return expect(first).toBe(second)
  const post = new Int32Array(first.task.post)
  Atomics.store(post, 0, first.task.number)
  second.end()
  expect(Atomics.load(post, 0)).toBe(first.task.number)
  first.end()
  expect(Atomics.load(post, 0)).toBe(0)
})
