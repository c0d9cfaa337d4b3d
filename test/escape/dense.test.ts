import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { CallResult } from '../../src/index.ts'
import { defineTool, defineTools, openArena, patience } from './attack.ts'

const dense = { name: 'dense', engine: 'isolate', isolation: 'dense' }
const patient = { ...dense, name: 'dense-retried', retry: { retries: 2 } }
const arena = openArena({ profiles: [dense, patient], maxRunners: 4 })
const MAP_BOMB = 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)'
const WAITS = 'await new Promise((r) => setTimeout(r, args.ms)); return args.n'

function run(name: string, args: object = {}): Promise<CallResult> {
  const { signal } = new AbortController()
  return arena.host.tools.execute({ callId: randomUUID(), name, arguments: args, signal })
}

/** Whose tools keep the deadlines of their definitions. */
async function loadDense(source: string): Promise<void> {
  await arena.host.tools.load(await arena.writeSource(source), { profile: 'dense' })
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Loads tools under a dense profile and has their runner up. */
async function open(
  prefix: string,
  bodies: Readonly<Record<string, string>>,
  profile = 'dense',
  fields = {},
): Promise<void> {
  const named = Object.entries({ waits: WAITS, ...bodies }).map(
    ([name, body]) => [`${prefix}_${name}`, body] as const,
  )
  const source = defineTools(Object.fromEntries(named))
  await arena.load({ source, profile, timeoutMs: 20_000, ...fields })
  expect(await run(`${prefix}_waits`, { ms: 0, n: 0 })).toMatchObject({ value: 0 })
}

test('isolation: dense serves several calls of a source in one process, each on its own', async () => {
  await open('shared', {
    counts:
      'globalThis.n = (globalThis.n ?? 0) + 1; await new Promise((r) => setTimeout(r, 300)); return globalThis.n',
    spins: 'const until = Date.now() + 300; while (Date.now() < until); return 1',
  })
  const before = arena.host.childPids()
  const calls = [1, 2, 3].map((n) => run('shared_counts', { n }))
  await pause(150)
  const during = arena.host.childPids().filter((pid) => !before.includes(pid))
  expect((await Promise.all(calls)).map((result) => Reflect.get(result, 'value'))).toEqual([
    1, 1, 1,
  ])
  // No runner was started for them but what keeps a spare.
  expect(during.length).toBeLessThanOrEqual(1)
  // A loop in one of them lets the others go on meanwhile.
  const begun = performance.now()
  const [spun, waited] = await Promise.all([
    run('shared_spins'),
    run('shared_waits', { ms: 20, n: 7 }).then((result) => ({ result, at: performance.now() })),
  ])
  expect([spun, waited.result]).toMatchObject([{ value: 1 }, { value: 7 }])
  expect(waited.at - begun).toBeLessThan(290 * patience())
})

test('a call that can be ended alone leaves its neighbours in peace', async () => {
  const loops = defineTool('alone_loops', 'for (;;);', 'timeoutMs: 800,')
  const hangs = defineTool('alone_hangs', 'await new Promise(() => {})', 'timeoutMs: 800,')
  await loadDense(defineTool('alone_waits', WAITS) + loops + hangs)
  await run('alone_waits', { ms: 0, n: 0 })
  const neighbours = [1, 2].map((n) => run('alone_waits', { ms: 2_000, n }))
  const stopped = await Promise.all([run('alone_loops'), run('alone_hangs')])
  for (const result of stopped) expect(result).toMatchObject({ error: { code: 'TOOL_TIMEOUT' } })
  expect(await Promise.all(neighbours)).toMatchObject([{ value: 1 }, { value: 2 }])
  // Nobody else is let into a runner that one had to be ended in.
  expect(await run('alone_waits', { ms: 0, n: 3 })).toMatchObject({ value: 3 })
}, 30_000)

test('ATK-054 a bomb in a shared runner is named, and its neighbours fail as collateral', async () => {
  await open('bombed', { bomb: MAP_BOMB })
  const neighbours = [1, 2, 3].map((n) => run('bombed_waits', { ms: 3_000, n }))
  await pause(100)
  const bomb = await run('bombed_bomb')
  expect(bomb).toMatchObject({ isError: true, error: { code: 'TOOL_OUT_OF_MEMORY' } })
  for (const result of await Promise.all(neighbours)) {
    if (!result.isError) continue
    expect(result.error).toMatchObject({ code: 'TOOL_CRASHED', collateral: true })
    expect(result.error.message).toContain('shared')
  }
  expect(await run('bombed_waits', { ms: 0, n: 4 })).toMatchObject({ value: 4 })
}, 40_000)

test('ATK-054 neighbours that may be run again are', async () => {
  await open('again', { bomb: MAP_BOMB }, 'dense-retried', {
    idempotent: true,
    retry: { retries: 2 },
  })
  const neighbours = [1, 2, 3].map((n) => run('again_waits', { ms: 2_500, n }))
  await pause(100)
  const caller = new AbortController()
  const bomb = arena.host.tools.execute({
    callId: randomUUID(),
    name: 'again_bomb',
    arguments: {},
    signal: caller.signal,
  })
  expect(await Promise.all(neighbours)).toMatchObject([{ value: 1 }, { value: 2 }, { value: 3 }])
  caller.abort()
  expect((await bomb).isError).toBe(true)
}, 40_000)

test('what can only be killed takes its neighbours along, and they are told why', async () => {
  const stuck = 'return (3n ** 20000000n).toString().length'
  await loadDense(
    defineTool('stays', `console.log('here'); ${WAITS}`) +
      defineTool('stuck', stuck, 'timeoutMs: 800,'),
  )
  await run('stays', { ms: 0, n: 0 })
  const began = new Promise((resolve) => arena.host.on('tool/log', resolve))
  const { signal } = new AbortController()
  const call = { callId: randomUUID(), name: 'stays', arguments: { ms: 10_000, n: 1 }, signal }
  const neighbour = arena.host.openSession().agent('neighbour').tools.execute(call)
  await began
  const begun = performance.now()
  expect(await run('stuck')).toMatchObject({ isError: true, error: { code: 'TOOL_TIMEOUT' } })
  expect(performance.now() - begun).toBeLessThan(800 + 50 + 500 * patience())
  const result = await neighbour
  expect(result).toMatchObject({
    isError: true,
    error: { code: 'TOOL_CRASHED', collateral: true, started: true },
  })
  expect(result.isError && result.error.message).toContain('shared')
  expect(await run('stays', { ms: 0, n: 5 })).toMatchObject({ value: 5 })
}, 30_000)
