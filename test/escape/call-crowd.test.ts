import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createToolHost, type CallInput, type CallResult } from '../../src/index.ts'
import { measureHeap } from '../helpers/heap.ts'
import { makeCall, toSuccess } from '../helpers/make-call.ts'
import { makeFolder } from '../helpers/folders.ts'
import { defineTool, patience } from './attack.ts'

const BOUND = 1_000
const BATCHES = 100
/** Calls of one turn of the loop; after them comes one by itself, whose time is its own. */
const TOGETHER = 999
const AGENTS = 20
const MB = 1024 * 1024
const waits = { name: 'waits', engine: 'isolate', limits: { timeoutMs: 600_000 } }

test('ATK-118 a hundred thousand calls at once: what does not fit is refused at once', async () => {
  const file = join(makeFolder('caisson-escape-'), 'holds.mjs')
  const body = "console.log('entered'); return args.waits ? await new Promise(() => {}) : 1"
  await writeFile(file, defineTool('holds', body))
  await using host = createToolHost({
    profiles: [waits],
    maxRunners: 2,
    maxQueue: BOUND,
    queueTimeoutMs: 600_000,
  })
  await host.tools.load(file, { profile: 'waits', timeoutMs: 600_000 })
  const session = host.openSession()
  // One agent by itself is refused long before.
  const agents = Array.from({ length: AGENTS }, (_, n) => session.agent(`crowd-${n}`))
  const release = new AbortController()
  const codes = new Map<string, number>()
  const call = async (n: number, extra: Partial<CallInput> = {}): Promise<CallResult> => {
    const input = makeCall('holds', { waits: extra.signal !== undefined }, extra)
    const result = await (agents[n % AGENTS] ?? session.agent('none')).tools.execute(input)
    const code = result.isError ? result.error.code : 'ok'
    codes.set(code, (codes.get(code) ?? 0) + 1)
    if (code === 'OVERLOADED') expect(result.attempts).toEqual([])
    return result
  }
  let entered = 0
  host.on('tool/log', () => (entered += 1))
  const { signal } = release
  const holders = [call(0, { signal }), call(1, { signal })]
  await expect.poll(() => entered, { timeout: 10_000 }).toBe(holders.length)
  const filling = Array.from({ length: BOUND }, (_, n) => call(n, { signal }))
  const alone: number[] = []
  const together: number[] = []
  const heaps: number[] = []
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const begun = performance.now()
    await Promise.all(Array.from({ length: TOGETHER }, (_, n) => call(n)))
    together.push((performance.now() - begun) / TOGETHER)
    const turn = performance.now()
    await call(batch)
    alone.push(performance.now() - turn)
    await setImmediate()
    if (batch % 10 === 9) heaps.push(measureHeap())
  }
  expect(Object.fromEntries(codes)).toEqual({ OVERLOADED: BATCHES * (TOGETHER + 1) })
  expect(Math.max(...together)).toBeLessThan(5)
  // A few meet the collector of what all of them have left.
  expect(alone.toSorted((a, b) => a - b).at(-6)).toBeLessThan(5 * patience())
  expect(Math.max(...heaps) - Math.min(...heaps)).toBeLessThan(8 * MB)
  expect(Math.max(...heaps)).toBeLessThan(200 * MB)
  release.abort()
  await Promise.all([...filling, ...holders])
  expect(codes.get('ABORTED_BEFORE_DISPATCH')).toBe(BOUND)
  expect(entered).toBe(holders.length)
  const next = await session.agent('next').tools.execute(makeCall('holds'))
  expect(toSuccess(next).value).toBe(1)
}, 120_000)
