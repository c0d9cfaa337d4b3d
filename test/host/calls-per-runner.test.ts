import { expect, test } from 'vitest'
import { makeHost } from '../helpers/make-host.ts'

const { signal } = new AbortController()

test.each([
  { callsPerRunner: 1, kept: 0 },
  { callsPerRunner: 100, kept: 1 },
])('callsPerRunner: $callsPerRunner keeps $kept runners over calls', async (options) => {
  const { host } = makeHost({ maxRunners: 1, callsPerRunner: options.callsPerRunner })
  await host.tools.load('bench/fixtures/tools.mjs')
  await expect.poll(() => host.childPids().length).toBe(2)
  const before = host.childPids()
  for (let call = 0; call < 3; call += 1) {
    const args = { value: call }
    const input = { callId: `${call}`, name: 'echo', arguments: args, signal }
    const result = await host.tools.execute(input)
    expect(result).toMatchObject({ isError: false, value: call })
  }
  const kept = (): number => host.childPids().filter((pid) => before.includes(pid)).length
  if (options.kept === 0) await expect.poll(kept).toBe(0)
  else expect(kept()).toBeGreaterThan(0)
})
