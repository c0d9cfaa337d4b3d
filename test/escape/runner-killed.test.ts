import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { CallResult } from '../../src/index.ts'
import { makeHost } from '../helpers/make-host.ts'
import { defineTools, openArena, patience } from './attack.ts'

const arena = openArena()
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function run(name: string, args: object = {}): Promise<CallResult> {
  const { signal } = new AbortController()
  return arena.host.tools.execute({ callId: randomUUID(), name, arguments: args, signal })
}

function killAll(): void {
  for (const pid of arena.host.childPids()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
  }
}

test('ATK-071 BUG-36 a call whose runner is killed at any instant settles once', async () => {
  const body = 'await new Promise((r) => setTimeout(r, 15)); return args.n'
  await arena.load({ tool: 'works', body, timeoutMs: 10_000 })
  // A call before each one, so that it is not the start of a runner that is hit.
  const seen = { ok: 0, crashed: 0 }
  for (let n = 0; n < 20; n += 1) {
    await expect.poll(() => run('works', { n }), { timeout: 5_000 }).toMatchObject({ value: n })
    const call = run('works', { n })
    await pause(n * 1.3)
    killAll()
    const result = await call
    if (!result.isError) {
      expect(result.value).toBe(n)
      seen.ok += 1
      continue
    }
    seen.crashed += 1
    expect(result.error).toMatchObject({ code: 'TOOL_CRASHED', signal: 'SIGKILL' })
    expect(result.attempts).toHaveLength(1)
  }
  expect(seen.ok + seen.crashed).toBe(20)
  expect(seen.crashed).toBeGreaterThan(0)
}, 60_000)

test('BUG-07 all runners killed in one tick, with calls waiting: everything settles', async () => {
  const body = 'await new Promise((r) => setTimeout(r, 30)); return args.n'
  await arena.load({ tool: 'queued', body, timeoutMs: 10_000 })
  const calls = Array.from({ length: 20 }, (_, n) => run('queued', { n }))
  await pause(50)
  killAll()
  const results = await Promise.all(calls)
  const failures = results.filter(({ isError }) => isError)
  expect(failures.length).toBeLessThanOrEqual(2)
  for (const { error } of failures as { error?: unknown }[]) {
    expect(error).toMatchObject({ code: 'TOOL_CRASHED' })
  }
  expect((await run('queued', { n: 1 })).isError).toBe(false)
}, 60_000)

test('BUG-06 runners killed while nothing runs are replaced, and no call fails', async () => {
  await arena.load({ tool: 'idles', body: 'return args.n' })
  await run('idles', { n: 0 })
  const before = arena.host.childPids()
  killAll()
  // At least the spare is back without anybody having asked for a runner.
  await expect
    .poll(() => arena.host.childPids().filter((pid) => !before.includes(pid)).length, {
      timeout: 10_000,
    })
    .toBeGreaterThan(0)
  for (let n = 0; n < 5; n += 1) expect(await run('idles', { n })).toMatchObject({ value: n })
}, 30_000)

test('many calls with deadlines shorter than a start cost a bounded number of processes', async () => {
  await arena.load({ tool: 'hasty', body: 'for (;;);', timeoutMs: 5 })
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, arena.host.childPids().length)), 5)
  const results = await Promise.all(Array.from({ length: 40 }, () => run('hasty')))
  clearInterval(watch)
  for (const result of results) {
    expect(result).toMatchObject({ isError: true, error: { code: 'TOOL_TIMEOUT' } })
  }
  // Twice the runners and the spare.
  expect(most).toBeLessThanOrEqual(5)
}, 30_000)

test('BUG-13 a host that is closed under calls of every kind ends them all, and its runners', async () => {
  const { host } = makeHost({ maxRunners: 2 })
  const source = defineTools({
    spins: 'for (;;);',
    rearms: 'for (;;) await 0',
    waits: 'await new Promise(() => {})',
  })
  await host.tools.load(await arena.writeSource(source))
  const { signal } = new AbortController()
  const calls = ['spins', 'rearms', 'waits', 'spins'].map((name, n) =>
    host.tools.execute({ callId: `${n}`, name, arguments: {}, signal }),
  )
  await pause(200)
  const pids = host.childPids()
  expect(pids.length).toBeGreaterThan(0)
  const begun = performance.now()
  await host.close()
  expect(performance.now() - begun).toBeLessThan(1_000 * patience())
  for (const result of await Promise.all(calls)) {
    expect(result).toMatchObject({ isError: true, error: { code: 'HOST_CLOSED' } })
  }
  expect(host.childPids()).toEqual([])
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
})

// A host that does not get the CPU hears late that a body has begun, and takes it for shorter than it was.
test(
  'what a result says of its time and its attempts is true',
  { retry: 3, timeout: 30_000 },
  async () => {
    await arena.load({
      tool: 'timed',
      body: 'await new Promise((r) => setTimeout(r, 100)); return 1',
      timeoutMs: 10_000,
    })
    const warm = await run('timed')
    const before = arena.host.childPids()
    killAll()
    await expect.poll(() => arena.host.childPids().some((pid) => before.includes(pid))).toBe(false)
    const cold = await run('timed')
    for (const { timings, attempts } of [warm, cold]) {
      expect(timings.bodyMs).toBeGreaterThanOrEqual(99)
      expect(attempts).toMatchObject([{ attempt: 1, started: true }])
      const { queueMs, prepareMs, bodyMs, totalMs } = timings
      expect(queueMs + prepareMs + bodyMs).toBeLessThanOrEqual(totalMs + 1)
    }
    // The start of the runner is no time of the body.
    expect(cold.timings.prepareMs).toBeGreaterThan(20)
    expect(warm.timings.prepareMs).toBeLessThan(cold.timings.prepareMs)
  },
)
