import { expect, onTestFinished, test } from 'vitest'
import { createToolHost } from '../../src/host/create-tool-host.ts'
import { makeCall } from '../helpers/make-call.ts'

test.each([
  ['isolate', 'pure'],
  ['thread', 'trusted'],
] as const)(
  'engineCounts() tells kills of engine %s from replacements',
  async (engine, profile) => {
    const host = createToolHost({ maxRunners: 2 })
    onTestFinished(() => host.close())
    const counts = () => host.engineCounts()[engine]
    expect(counts()).toEqual({ started: 0, kills: 0, recycles: 0, lost: 0 })
    const source = 'examples/hostile/busy-loop.mjs'
    const { tools } = await host.tools.load(source, { profile, timeoutMs: 100 })
    await host.tools.execute(makeCall(tools[0] ?? ''))
    await expect.poll(() => counts().kills).toBe(1)
    expect(counts().recycles).toBe(0)
    const other = await host.tools.load('examples/community/csv-stats.ts', { profile })
    await other.dispose()
    await expect.poll(() => counts().recycles).toBe(1)
    expect(counts().kills).toBe(1)
    expect(counts().started).toBeGreaterThan(1)
  },
)
