import { beforeAll, describe, expect, test } from 'vitest'
import { createToolHost } from '../../src/index.ts'
import { describeConfined } from '../helpers/confined.ts'
import { makeCall } from '../helpers/make-call.ts'
import { defineTools, openArena, valueOf, type Arena } from '../escape/attack.ts'
import { openProgramArena } from '../escape/program-arena.ts'

const BODIES = {
  text: 'return "x".repeat(args.n)',
  deep: 'let v = []; for (let n = 0; n < args.n; n += 1) v = [v]; return v',
  wide: 'return Array.from({ length: args.n }, (_, n) => n)',
  logs: 'for (let n = 0; n < args.n; n += 1) console.log("x".repeat(1000)); return 1',
}

/** The same measures for every engine, and the operator's word on how large they are. */
function describeMeasures(
  engine: string,
  extra: object,
  open: (profiles: object[]) => Arena,
): void {
  describe(engine, () => {
    const limits = { timeoutMs: 30_000, memoryMb: 512 }
    const arena = open([
      {
        name: 'small',
        engine,
        ...extra,
        limits: { ...limits, outputBytes: 20_000, logBytes: 5_000 },
      },
      { name: 'large', engine, ...extra, limits: { ...limits, outputBytes: 16 * 1024 * 1024 } },
    ])
    beforeAll(async () => {
      for (const profile of ['small', 'large']) {
        const bodies = Object.entries(BODIES).map(([name, body]) => [`${name}_${profile}`, body])
        const source = defineTools(Object.fromEntries(bodies) as Record<string, string>)
        await arena.load({ source, profile, timeoutMs: 20_000 })
      }
    })
    const call = async (tool: string, n: number) =>
      (await arena.call({ tool, args: { n }, timeoutMs: 20_000 })).result

    test(`BUG-28 a value too large for its profile is OUTPUT_LIMIT in ${engine}`, async () => {
      expect(await call('text_small', 30_000)).toMatchObject({ error: { code: 'OUTPUT_LIMIT' } })
      expect(await call('text_large', 30_000)).toMatchObject({ isError: false })
      expect(await call('text_small', 10_000)).toMatchObject({ isError: false })
    })

    test(`BUG-28 one beyond what JSON may be here is JSON_LIMIT in ${engine}, whatever the profile`, async () => {
      expect(await call('deep_large', 600)).toMatchObject({
        error: { code: 'JSON_LIMIT', limit: 'depth' },
      })
      expect(await call('wide_large', 250_000)).toMatchObject({
        error: { code: 'JSON_LIMIT', limit: 'nodes' },
      })
      expect(await call('text_large', 9 * 1024 * 1024)).toMatchObject({
        error: { code: 'JSON_LIMIT', limit: 'bytes' },
      })
    })

    test(`BUG-28 what is said beside a value is measured too in ${engine}`, async () => {
      const attacked = await arena.call({ tool: 'logs_small', args: { n: 100 }, timeoutMs: 20_000 })
      expect(valueOf(attacked)).toBe(1)
      expect(attacked.logs.length).toBeLessThan(8)
      expect(attacked.logs.at(-1)?.text).toMatch(/^\d+ log entries were dropped/)
    })
  })
}

describeMeasures('isolate', {}, (profiles) => openArena({ profiles }))
describeMeasures('thread', {}, (profiles) => openArena({ profiles }))
describeConfined('confined', () =>
  describeMeasures('process', {}, (profiles) => openProgramArena({ profiles })),
)

describe('a crowd and a ruin', () => {
  test('BUG-29 nobody can be started, nobody is free, nobody became free: three codes, each with its numbers', async () => {
    const profile = 'bare'
    await using host = createToolHost({
      maxRunners: 1,
      maxQueue: 1,
      queueTimeoutMs: 200,
      profiles: [{ name: profile, engine: 'isolate', confinement: 'none' }],
    })
    const source = 'test/fixtures/field-bugs/waits.mjs'
    await host.tools.load(source, { profile, timeoutMs: 20_000 })
    const call = (ms: number) => host.tools.execute(makeCall('waits', { ms }))
    const holder = call(1_500)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const [waits, refused] = await Promise.all([call(0), call(0)])
    expect(waits).toMatchObject({
      attempts: [],
      error: { code: 'QUEUE_TIMEOUT', depth: expect.any(Number), waitedMs: expect.any(Number) },
    })
    expect((waits as unknown as { error: { waitedMs: number } }).error.waitedMs).toBeGreaterThan(
      190,
    )
    expect(refused).toMatchObject({
      attempts: [],
      error: { code: 'OVERLOADED', depth: 1, waitedMs: 0 },
    })
    expect(await holder).toMatchObject({ isError: false })

    const { execPath } = process
    try {
      process.execPath = '/bin/false'
      for (const pid of host.childPids()) process.kill(pid, 'SIGKILL')
      await expect
        .poll(async () => await call(0), { timeout: 10_000 })
        .toMatchObject({ error: { code: 'ENGINE_UNAVAILABLE', depth: 0, waitedMs: 0 } })
    } finally {
      process.execPath = execPath
    }
    // Runners come back by themselves.
    await expect
      .poll(async () => await call(0), { timeout: 10_000 })
      .toMatchObject({ isError: false })
  }, 40_000)
})

describe('modules between calls', () => {
  const arena = openArena()
  test('BUG-38 a module starts anew for every call, with everything a call before has touched', async () => {
    const source = `
      let count = 0
      const cache = new Map()
      class Kept { static seen = 0 }
      ${defineTools({
        attack: `
          const before = { count: (count += 1), cache: cache.size, kept: Kept.seen }
          before.secrets = [RegExp.$1, RegExp.lastMatch, RegExp.input].filter((text) => text.includes('secret'))
          // All of them first: some are made when they are first looked at.
          const values = Object.getOwnPropertyNames(globalThis)
            .flatMap((name) => [globalThis[name], globalThis[name]?.prototype])
            .filter((one) => (typeof one === 'object' || typeof one === 'function') && one !== null)
          before.marked = values.filter((one) => Object.hasOwn(one, 'marked') || Object.hasOwn(one, 'pinned')).length
          before.touched = 0
          for (const one of values) {
            try { one.marked = args.n; before.touched += 1 } catch {}
            try { Object.defineProperty(one, 'pinned', { value: args.n, writable: true, configurable: false }) } catch {}
          }
          ;/(secret)/.test('a secret')
          cache.set('a', 1); Kept.seen += 1
          Array.prototype.push = undefined; JSON.stringify = () => 'forged'; Promise.prototype.then = undefined
          return before`,
      })}`
    await arena.load({ source })
    for (const n of [1, 2, 3, 4]) {
      expect(valueOf(await arena.call({ args: { n } }))).toEqual({
        count: 1,
        cache: 0,
        kept: 0,
        secrets: [],
        marked: 0,
        touched: expect.any(Number),
      })
    }
  })
})
