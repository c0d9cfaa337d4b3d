import { getEventListeners } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLookout } from '../../../src/engine/thread/lookout.ts'
import { createThreadPool } from '../../../src/engine/thread/pool.ts'
import { createThreadWorker, type ThreadWorker } from '../../../src/engine/thread/thread-worker.ts'
import { loadAsset } from '../../../src/engine/shared/load-asset.ts'
import { createTally } from '../../../src/engine/shared/tally.ts'
import { createBundler } from '../../../src/loader/bundler-client.ts'
import { countWorkerThreads } from '../../helpers/worker-threads.ts'
import { toFailed, toSuccess } from '../../helpers/make-call.ts'
import { createRig, type Rig } from '../contract/rig.ts'

let code: string
let rig: Rig
beforeAll(async () => {
  const bundler = createBundler({ timeoutMs: 10_000, idleMs: 1_000 })
  code = await loadAsset('thread/stage', bundler.bundleAsset)
  await bundler.close()
  rig = await createRig('thread')
  await rig.load('node-tools.ts')
})
afterAll(() => rig.host.close())

interface Bare {
  readonly pool: ReturnType<typeof createThreadPool>
  readonly workers: ThreadWorker[]
  readonly told: string[]
}

function createBare(maxWorkers: number): Bare {
  const workers: ThreadWorker[] = []
  const told: string[] = []
  const lookout = createLookout()
  const pool = createThreadPool({
    maxWorkers,
    readyTimeoutMs: 5_000,
    tally: createTally(),
    diagnose: (text) => void told.push(text),
    create(memoryMb) {
      const worker = createThreadWorker({
        code,
        memoryMb,
        lookout,
        late: () => undefined,
        stuck: () => undefined,
      })
      workers.push(worker)
      return worker
    },
  })
  return { pool, workers, told }
}

const take = (pool: Bare['pool'], key: string) => pool.take({ key, memoryMb: 32 })
const boot = {
  code: `(require, module) => {
    module.exports = { name: 'none', description: '', parameters: {}, execute() {}, output: {} }
  }`,
  schemastery: '',
  entry: '/nowhere',
  env: {},
}
const request = {
  op: 'project',
  tool: 'none',
  kind: 'render',
  input: [],
  limits: {} as never,
} as const

/** Resolves once the worker has answered. */
function answerOf(worker: ThreadWorker): Promise<unknown> {
  return new Promise((settled, failed) => {
    const unexpected = () => failed(new Error('the worker gave no answer'))
    const call = worker.call(request, {
      settled,
      event: () => true,
      declined: unexpected,
      died: unexpected,
    })
    call.wait()
  })
}

test('take() lends an idle worker of the same source before it makes one', async () => {
  const { pool } = createBare(2)
  const first = await take(pool, 'a')
  expect(first.opened).toBe(false)
  pool.giveBack(first.worker, 'a')
  expect(await take(pool, 'a')).toEqual({ worker: first.worker, opened: true })
  expect((await take(pool, 'b')).opened).toBe(false)
  await pool.close()
})

// A machine that is busy elsewhere for long enough makes any worker look restless.
test('a worker is lent again once it has come to rest', { retry: 3 }, async () => {
  const { pool } = createBare(3)
  const { worker } = await take(pool, 'a')
  worker.limitMessages(1_000)
  expect(await worker.open(boot)).toMatchObject({ k: 'loaded' })
  for (let n = 0; n < 20; n += 1) {
    await answerOf(worker)
    pool.giveBack(worker, 'a')
    expect(await take(pool, 'a')).toEqual({ worker, opened: true })
    expect(worker.fitness).toBe('fit')
  }
  await pool.close()
})

test('take() gives up its place when its caller does', async () => {
  const { pool, workers } = createBare(1)
  const { worker } = await take(pool, 'a')
  const controller = new AbortController()
  const second = pool.take({ key: 'b', memoryMb: 32, signal: controller.signal })
  controller.abort()
  await expect(second).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  worker.kill()
  await worker.dead
  expect(workers.filter(({ isDead }) => !isDead).length).toBeLessThanOrEqual(1)
  await pool.close()
})

test('take() ends the oldest idle worker of another source when all places are taken', async () => {
  const { pool } = createBare(2)
  const lent = [await take(pool, 'a'), await take(pool, 'b')] as const
  pool.giveBack(lent[0].worker, 'a')
  pool.giveBack(lent[1].worker, 'b')
  const third = await take(pool, 'c')
  expect(third.opened).toBe(false)
  await lent[0].worker.dead
  expect(lent[1].worker.isDead).toBe(false)
  await pool.close()
})

test('take() waits while every worker is lent, and gets the place of one that dies', async () => {
  const { pool } = createBare(1)
  const first = await take(pool, 'a')
  const second = take(pool, 'b')
  first.worker.kill()
  expect((await second).opened).toBe(false)
  await pool.close()
})

test('BUG-06 the death of an idle worker is told and harms nobody', async () => {
  const { pool, told, workers } = createBare(2)
  const { worker } = await take(pool, 'a')
  pool.giveBack(worker, 'a')
  worker.kill()
  await worker.dead
  expect(told.join()).toContain('an idle worker thread ended by itself')
  expect((await take(pool, 'a')).opened).toBe(false)
  await pool.close()
  expect(workers.every(({ isDead }) => isDead)).toBe(true)
})

test('BUG-07 when all workers die at once everybody who waits is served by new ones', async () => {
  const { pool, workers } = createBare(2)
  const lent = [await take(pool, 'a'), await take(pool, 'a')]
  const waiting = Promise.all([take(pool, 'a'), take(pool, 'b')])
  for (const worker of workers) worker.kill()
  const served = await waiting
  expect(served.every(({ worker }) => !lent.some((old) => old.worker === worker))).toBe(true)
  await pool.close()
})

test('BUG-07 calls in line survive the death of every worker under them', async () => {
  const calls = Array.from({ length: 10 }, (_, n) =>
    rig.call('exits', { how: n % 2 === 0 ? 'exit0' : 'exitLater' }),
  )
  const codes = (await Promise.all(calls)).map((result) => toFailed(result).error.code)
  expect(codes).toEqual(Array.from({ length: 10 }, () => 'TOOL_CRASHED'))
  await rig.check()
})

test('BUG-03 calls leave no listener on the signal of their caller, nor in their worker', async () => {
  const { signal } = new AbortController()
  for (let n = 0; n < 300; n += 1) {
    expect(toSuccess(await rig.call('listens', {}, { signal })).value).toBe(1)
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('BUG-05 a worker that cannot be ended is written off, said so, and replaced', async () => {
  const threads = countWorkerThreads()
  await rig.load('blocks.ts', { timeoutMs: 300 })
  const { error, timings } = toFailed(await rig.call('blocks', { ms: 4_000 }))
  expect(error).toMatchObject({ code: 'TOOL_TIMEOUT', unconfirmed: true })
  expect(timings.totalMs).toBeLessThan(2_000)
  await rig.check()
  await vi.waitFor(() => expect(rig.diagnostics.join()).toContain('written off'), 5_000)
  expect(rig.host.engineCounts().thread).toMatchObject({ lost: 1 })
  // The operation ends some time, and with it the thread.
  await vi.waitFor(() => expect(countWorkerThreads()).toBeLessThanOrEqual(threads + 1), 10_000)
})
