import { expect, test } from 'vitest'
import type { CallResult } from '../../src/index.ts'
import { openArena, patience, valueOf } from './attack.ts'

const BOUND = 1_000
const CALLS = 20_000
const AGENTS = 20
const arena = openArena({ maxQueue: BOUND, queueTimeoutMs: 60_000 })

test('ATK-118 twenty thousand calls at once: what does not fit is refused at once', async () => {
  const body = 'await new Promise((resolve) => setTimeout(resolve, args.ms)); return 1'
  await arena.load({ tool: 'holds', body, timeoutMs: 30_000 })
  const release = new AbortController()
  const session = arena.host.openSession()
  // One agent by itself is refused long before.
  const agents = Array.from({ length: AGENTS }, (_, n) => session.agent(`crowd-${n}`))
  const call = async (n: number, ms: number): Promise<CallResult> => {
    const agent = agents[Math.abs(n) % AGENTS]
    if (agent === undefined) throw new Error('there is no such agent')
    return agent.tools.execute({
      callId: `crowd-${n}`,
      name: 'holds',
      arguments: { ms },
      signal: release.signal,
    })
  }
  const holders = [call(-1, 25_000), call(-2, 25_000)]
  await new Promise((resolve) => setTimeout(resolve, 200))
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const codes = new Map<string, number>()
  const pending: Promise<void>[] = []
  const times: number[] = []
  let most = 0
  const note = async (n: number): Promise<void> => {
    const begun = performance.now()
    const result = await call(n, 0)
    const code = result.isError ? result.error.code : 'ok'
    codes.set(code, (codes.get(code) ?? 0) + 1)
    if (code !== 'OVERLOADED') return
    if (result.attempts.length > 0) codes.set('attempted', 1)
    times.push(performance.now() - begun)
  }
  // In blocks, or it is the test's own loop that a refusal waits for.
  for (let n = 0; n < CALLS; n += 20) {
    const block = Array.from({ length: 20 }, (_, at) => note(n + at))
    pending.push(...block)
    await new Promise((resolve) => setImmediate(resolve))
    if (n % 2_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed)
  }
  await expect.poll(() => codes.get('OVERLOADED') ?? 0, { timeout: 20_000 }).toBe(CALLS - BOUND)
  release.abort()
  await Promise.all([...pending, ...holders])
  expect(Object.fromEntries(codes)).toEqual({
    OVERLOADED: CALLS - BOUND,
    ABORTED_BEFORE_DISPATCH: BOUND,
  })
  const [median = Infinity] = times.toSorted((a, b) => a - b).slice(times.length / 2)
  expect(median).toBeLessThan(5 * patience())
  expect(most - before).toBeLessThan(200 * 1024 * 1024)
  expect(valueOf(await arena.call({ tool: 'holds', args: { ms: 1 } }))).toBe(1)
}, 60_000)
