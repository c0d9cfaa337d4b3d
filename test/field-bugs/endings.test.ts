import { readdirSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { describeConfined } from '../helpers/confined.ts'
import { defineTools, openArena, patience, valueOf, type Arena } from '../escape/attack.ts'
import { openProgramArena } from '../escape/program-arena.ts'

const KEPT = 'const kept = globalThis.kept = [];'
const SHAPES = {
  small_objects: `${KEPT} for (let i = 0; ; i++) kept.push({ i })`,
  filled_arrays: `${KEPT} for (;;) kept.push(new Array(1000).fill(1.1))`,
  one_huge_array: `${KEPT} for (;;) { const b = []; b.length = 2 ** 27; b.fill(1); kept.push(b) }`,
  many_pushes: `${KEPT} for (let i = 0; i < 1e8; i++) kept.push(i); return kept.length`,
}
const TURNS = {
  in_a_timer: `${KEPT} await new Promise((done) => setTimeout(() => { for (;;) kept.push(new Array(1000).fill(1.1)) }, 5))`,
  in_a_continuation: `${KEPT} await null; await new Promise((done) => setTimeout(done, 5)); for (;;) kept.push(new Array(1000).fill(1.1))`,
  in_a_callback: `${KEPT} await Promise.resolve().then(() => { for (;;) kept.push(new Array(1000).fill(1.1)) })`,
}
const timeoutMs = 20_000

function describeMemory(bodies: Readonly<Record<string, string>>, open: () => Arena): Arena {
  const arena = open()
  beforeAll(() => arena.load({ source: defineTools({ ...bodies, fine: 'return 1' }), timeoutMs }))

  test.each(Object.keys(SHAPES))(
    'BUG-09 %s is out of memory, for that call only',
    async (tool) => {
      const [{ result }, beside] = await Promise.all([
        arena.call({ tool, timeoutMs }),
        arena.host
          .openSession()
          .agent('beside')
          .tools.execute({
            callId: `beside-${tool}`,
            name: 'fine',
            arguments: {},
            signal: new AbortController().signal,
          }),
      ])
      expect(result).toMatchObject({
        isError: true,
        error: { code: 'TOOL_OUT_OF_MEMORY', started: true },
      })
      expect(beside).toMatchObject({ isError: false, value: 1 })
    },
    30_000,
  )
  return arena
}

describe('memory in an isolate', () => {
  const arena = describeMemory({ ...SHAPES, ...TURNS }, () => openArena())

  test.each(Object.keys(TURNS))(
    'BUG-23 memory that runs out %s is called by its name',
    async (tool) => {
      const { result } = await arena.call({ tool, timeoutMs })
      expect(result).toMatchObject({ isError: true, error: { code: 'TOOL_OUT_OF_MEMORY' } })
    },
    30_000,
  )
})
describeConfined('memory in a program', () => void describeMemory(SHAPES, () => openProgramArena()))

describe('early ends', () => {
  const arena = openArena()
  const fds = (): number => readdirSync('/proc/self/fd').length
  let before = 0
  afterEach(() => expect(fds()).toBeLessThan(before + 20))

  test('BUG-40 a runner killed long before the deadline has crashed, and says how old it was', async () => {
    before = fds()
    await arena.load({
      tool: 'waits',
      body: 'await new Promise(() => undefined)',
      timeoutMs: 30_000,
    })
    const known = new Set(arena.host.childPids())
    const begun = performance.now()
    const call = arena.host.openSession().agent('a').tools.execute({
      callId: 'early',
      name: 'waits',
      arguments: {},
      signal: new AbortController().signal,
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (const pid of known) process.kill(pid, 'SIGKILL')
    const result = await call
    expect(performance.now() - begun).toBeLessThan(5_000 * patience())
    expect(result).toMatchObject({
      isError: true,
      error: { code: 'TOOL_CRASHED', signal: 'SIGKILL', lifetimeMs: expect.any(Number) },
    })
    const { lifetimeMs } = (result as unknown as { error: { lifetimeMs: number } }).error
    expect(lifetimeMs).toBeGreaterThan(250)
    expect(lifetimeMs).toBeLessThan(60_000)
    expect(result.attempts).toMatchObject([{ code: 'TOOL_CRASHED', started: true }])
  })

  test('BUG-40 and only the deadline of the call itself is called a deadline', async () => {
    before = fds()
    const { result } = await arena.attack({
      body: 'await new Promise(() => undefined)',
      timeoutMs: 300,
    })
    expect(result).toMatchObject({ isError: true, error: { code: 'TOOL_TIMEOUT' } })
    expect(valueOf(await arena.attack({ body: 'return 1' }))).toBe(1)
  })
})
