import { expect, onTestFinished, test } from 'vitest'
import { createRunnerPool } from '../../../src/engine/isolate/pool.ts'
import type { PoolSpec, RunnerPool } from '../../../src/engine/isolate/pool-types.ts'
import type { RunnerLaunch } from '../../../src/engine/isolate/runner-launch.ts'
import { createRunnerProcess } from '../../../src/engine/isolate/runner-process.ts'

interface TestSpec extends PoolSpec {
  readonly code: string
}

const READY = `
  const text = Buffer.from(JSON.stringify({ t: 'ready', s: process.argv.at(-1) }))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(text.length)
  process.stdin.on('data', () => 0)
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL'))
`
const SPEAK = 'process.stdout.write(Buffer.concat([head, text]))'

function sized(memoryMb: number): RunnerLaunch {
  return { memoryMb, jit: true, isolates: 1, kernelLimits: 'preferred', walls: undefined }
}

function makePool({ code = `${READY};${SPEAK}`, ...spec }: Partial<TestSpec> = {}): RunnerPool {
  const pool = createRunnerPool({
    start: (launch) => createRunnerProcess({ code, launch, prepareTimeoutMs: 10_000 }),
    maxRunners: 2,
    spares: 1,
    launch: sized(64),
    callsPerRunner: 1_000,
    readyTimeoutMs: 10_000,
    ...spec,
  })
  onTestFinished(() => pool.close())
  return pool
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}

test('take() gives the runner that holds a bundle to that bundle only', async () => {
  const pool = makePool()
  const first = await pool.take('a', sized(64))
  expect(first.opened).toBe(false)
  pool.giveBack(first.runner, 'a')
  const other = await pool.take('b', sized(64))
  expect(other).toMatchObject({ opened: false })
  expect(other.runner.pid).not.toBe(first.runner.pid)
  const again = await pool.take('a', sized(64))
  expect(again).toEqual({ runner: first.runner, opened: true })
})

test('take() never gives a runner of another memory limit', async () => {
  const pool = makePool()
  const { runner } = await pool.take('a', sized(32))
  pool.giveBack(runner, 'a')
  const other = await pool.take('b', sized(128))
  expect(other.runner.pid).not.toBe(runner.pid)
})

test('a spare is booted after the first take(), and is what the next one gets', async () => {
  const pool = makePool()
  const { runner } = await pool.take('a', sized(64))
  await expect.poll(() => pool.pids().length).toBe(2)
  const [spare] = pool.pids().filter((pid) => pid !== runner.pid)
  const next = await pool.take('b', sized(64))
  expect(next.runner.pid).toBe(spare)
})

test('giveBack() retires a runner after so many calls', async () => {
  const pool = makePool({ callsPerRunner: 3, spares: 0 })
  const pids: (number | undefined)[] = []
  for (let call = 0; call < 6; call += 1) {
    const { runner } = await pool.take('a', sized(64))
    pids.push(runner.pid)
    pool.giveBack(runner, 'a')
  }
  expect(new Set(pids).size).toBe(2)
  await expect.poll(() => isAlive(pids[0])).toBe(false)
})

test.skipIf(process.platform !== 'linux')(
  'giveBack() retires a runner that keeps too much',
  async () => {
    const hoard = 'globalThis.kept = Buffer.alloc(200 * 2 ** 20, 1)'
    const pool = makePool({ code: `${READY};${hoard};${SPEAK}`, spares: 0, launch: sized(8) })
    const pids = new Set<number | undefined>()
    for (let call = 0; call < 20; call += 1) {
      const { runner } = await pool.take('a', sized(8))
      pids.add(runner.pid)
      pool.giveBack(runner, 'a')
    }
    expect(pids.size).toBe(2)
  },
)

test('giveBack() makes room for others: the runner unused for longest goes', async () => {
  const pool = makePool({ spares: 0 })
  const used: Record<string, number | undefined> = {}
  for (const key of ['a', 'b', 'c']) {
    const { runner } = await pool.take(key, sized(64))
    used[key] = runner.pid
    pool.giveBack(runner, key)
  }
  await expect.poll(() => isAlive(used['a'])).toBe(false)
  expect([isAlive(used['b']), isAlive(used['c'])]).toEqual([true, true])
})

test('take() waits for a runner that is about to be free where another would end one', async () => {
  const pool = makePool()
  const first = await pool.take('a', sized(64))
  const second = await pool.take('a', sized(64))
  pool.leaving(first.runner)
  const third = pool.take('a', sized(64))
  const fourth = pool.take('a', sized(64))
  // Nobody promises the fourth anything: it gets a runner of its own.
  expect((await fourth).opened).toBe(false)
  pool.giveBack(first.runner, 'a')
  expect(await third).toEqual({ runner: first.runner, opened: true })
  pool.leaving(second.runner)
  const fifth = pool.take('a', sized(64))
  await pool.discard(second.runner)
  expect((await fifth).opened).toBe(false)
})

test('forget() ends the idle runners of a bundle', async () => {
  const pool = makePool({ spares: 0 })
  const { runner } = await pool.take('a', sized(64))
  pool.giveBack(runner, 'a')
  pool.forget('a')
  await runner.dead
  expect((await pool.take('a', sized(64))).opened).toBe(false)
})

test('take() starts no more processes than the pool may have, and all are served in turn', async () => {
  const pool = makePool({ maxRunners: 1, spares: 0 })
  let most = 0
  const served = Array.from({ length: 8 }, async (_, n) => {
    const { runner } = await pool.take(`bundle ${n}`, sized(64))
    most = Math.max(most, pool.pids().length)
    pool.giveBack(runner, `bundle ${n}`)
  })
  await Promise.all(served)
  expect(most).toBeLessThanOrEqual(2)
})

test('take() gives up when its signal aborts, and the runner is there for the next', async () => {
  const pool = makePool({ spares: 0 })
  const caller = new AbortController()
  const given = pool.take('a', sized(64), caller.signal)
  caller.abort()
  await expect(given).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  await pool.take('b', sized(64))
  expect(pool.pids()).toHaveLength(1)
})

test('take() tries a second runner when the first dies while it boots, and no third', async () => {
  const pool = makePool({ code: 'process.exit(1)', spares: 0 })
  await expect(pool.take('a', sized(64))).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: 'the sandbox runner did not start: it dies while it starts',
  })
})

test('spares that die at once are not started in a circle', async () => {
  const pool = makePool({ code: 'process.exit(1)' })
  const seen = new Set<number>()
  const watch = setInterval(() => pool.pids().forEach((pid) => seen.add(pid)), 2)
  pool.warm()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  clearInterval(watch)
  expect(seen.size).toBeGreaterThan(1)
  expect(seen.size).toBeLessThanOrEqual(6)
})

test('close() ends everything and everybody who waits', async () => {
  const pool = makePool({ maxRunners: 1, spares: 0, code: READY })
  const waits = pool.take('a', sized(64))
  const refused = expect(waits).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  const pids = pool.pids()
  await pool.close()
  await refused
  expect(pids.filter(isAlive)).toEqual([])
})

test('BUG-05 a runner that survives its kill is written off, counted and replaced', async () => {
  const stuck = new Set<number | undefined>()
  const pool = makePool({
    maxRunners: 1,
    spares: 0,
    start(launch) {
      const real = createRunnerProcess({
        code: `${READY};${SPEAK}`,
        launch,
        prepareTimeoutMs: 10_000,
      })
      if (stuck.size > 2) return real
      stuck.add(real.pid)
      onTestFinished(() => real.kill())
      // As one that waits for a disk that is gone: the signal is sent, and nothing comes of it.
      return { ...real, kill: () => undefined, dead: new Promise(() => undefined) }
    },
  })
  for (let n = 0; n < 3; n += 1) {
    const { runner } = await pool.take('a', sized(64))
    expect(stuck).toContain(runner.pid)
    void pool.discard(runner)
  }
  await expect.poll(() => pool.counts().lost, { timeout: 5_000 }).toBe(3)
  expect(pool.pids().filter((pid) => stuck.has(pid))).toEqual([])
  const { runner } = await pool.take('a', sized(64))
  expect(stuck).not.toContain(runner.pid)
  const begun = performance.now()
  await pool.close()
  expect(performance.now() - begun).toBeLessThan(2_000)
})
