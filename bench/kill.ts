// How long after its deadline the caller of a busy loop has its answer, and until all places work again.
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { createToolHost, isCaissonError } from '../src/index.ts'
import { loadPeer } from './contenders/load-peer.ts'
import { printHeading } from './measure/machine.ts'
import { note, printTable } from './measure/print-table.ts'
import { percentile, toFigure } from './measure/stats.ts'

/** Somebody who can end a busy loop. */
interface Killer {
  readonly name: string
  /** Milliseconds between abort and kill: part of what it is late. */
  readonly graceMs: number
  readonly deadlineMs: number
  /** Runs a busy loop until its deadline; resolves when its caller has the answer. */
  spin(): Promise<unknown>
  well(): Promise<unknown>
  close(): Promise<unknown>
}

const DEADLINE_MS = 100
/** A program has to have started to be in its loop. */
const PROGRAM_DEADLINE_MS = 400
const ROUNDS = 15
const GRACE_MS = 50
const SLOTS = 2
const REST_MS = 150
const LOOPS = fileURLToPath(new URL('./fixtures/loops.mjs', import.meta.url))
const WORKER = fileURLToPath(new URL('./fixtures/loop-worker.ts', import.meta.url))

const killers = [
  await openOurs('isolate'),
  await openOurs('thread'),
  await openOurs('process'),
  openPiscina(),
  openTinypool(),
  openBare(),
  openVm2(),
].filter((killer) => killer !== undefined)
const overshoots = killers.map((): number[] => [])
const recoveries = killers.map((): number[] => [])
for (const killer of killers) await killer.well()
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [at, killer] of killers.entries()) await killOnce(at, killer)
}
for (const killer of killers) await killer.close()

printHeading('Kill: a busy loop at its deadline, milliseconds')
printTable(
  ['', 'deadline', 'grace', 'late p50', 'p99', `${SLOTS} calls p50`, 'p99'],
  killers.map(({ name, deadlineMs, graceMs }, at) => [
    name,
    `${deadlineMs}`,
    `${graceMs}`,
    ...[overshoots[at], recoveries[at]].flatMap((ms = []) => [
      toFigure(percentile(ms, 0.5)),
      toFigure(percentile(ms, 0.99)),
    ]),
  ]),
)

async function killOnce(at: number, killer: Killer): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const begun = performance.now()
  await killer.spin()
  const answered = performance.now()
  await Promise.all(Array.from({ length: SLOTS }, () => killer.well()))
  overshoots[at]?.push(answered - begun - killer.deadlineMs)
  recoveries[at]?.push(performance.now() - answered)
}

async function openOurs(engine: 'isolate' | 'thread' | 'process'): Promise<Killer | undefined> {
  const profile = { name: 'kill', engine, limits: { graceMs: GRACE_MS } }
  const host = createToolHost({ profiles: [profile], maxRunners: SLOTS })
  const deadlineMs = engine === 'process' ? PROGRAM_DEADLINE_MS : DEADLINE_MS
  const { signal } = new AbortController()
  const call = async (name: string): Promise<string> => {
    const result = await host.tools.execute({ callId: name, name, arguments: {}, signal })
    return result.isError ? result.error.code : 'ok'
  }
  try {
    await host.tools.load(LOOPS, { profile: 'kill' })
  } catch (error) {
    await host.close()
    if (!isCaissonError(error)) throw error
    note(`${engine} cannot run here: ${error.message}: skipped`)
    return undefined
  }
  return {
    name: engine,
    graceMs: GRACE_MS,
    deadlineMs,
    spin: async () => expect(await call(`spin_${deadlineMs}`), 'TOOL_TIMEOUT'),
    well: async () => expect(await call('well'), 'ok'),
    close: () => host.close(),
  }
}

function expect(seen: string, wanted: string): void {
  if (seen !== wanted) throw new Error(`a call came to ${seen}, not ${wanted}`)
}

interface AbortablePool {
  run(task: unknown, options: { name: string; signal?: AbortSignal }): Promise<unknown>
  destroy(): Promise<void>
}

function openPiscina(): Killer {
  return abortable('piscina', new Piscina({ filename: WORKER, maxThreads: SLOTS }))
}

function openTinypool(): Killer | undefined {
  const peer = loadPeer('tinypool') as
    { readonly Tinypool: new (options: object) => AbortablePool } | undefined
  if (peer === undefined) return undefined
  return abortable('tinypool', new peer.Tinypool({ filename: WORKER, maxThreads: SLOTS }))
}

function abortable(name: string, pool: AbortablePool): Killer {
  return {
    name,
    graceMs: 0,
    deadlineMs: DEADLINE_MS,
    spin: () =>
      pool
        .run(undefined, { name: 'spin', signal: AbortSignal.timeout(DEADLINE_MS) })
        .catch(() => undefined),
    well: () => pool.run(undefined, { name: 'well' }),
    close: () => pool.destroy(),
  }
}

/** One raw thread: terminated at the deadline, and started anew. */
function openBare(): Killer {
  let worker = new Worker(WORKER)
  return {
    name: 'worker_threads',
    graceMs: 0,
    deadlineMs: DEADLINE_MS,
    async spin() {
      worker.postMessage('spin')
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS))
      await worker.terminate()
      worker = new Worker(WORKER)
    },
    well: () =>
      new Promise((resolve) => {
        worker.once('message', resolve)
        worker.postMessage('well')
      }),
    close: () => worker.terminate(),
  }
}

/** In this thread: everybody else waits for as long. */
function openVm2(): Killer | undefined {
  const peer = loadPeer('vm2') as
    { readonly VM: new (options: object) => { run(code: string): unknown } } | undefined
  if (peer === undefined) return undefined
  return {
    name: 'vm2',
    graceMs: 0,
    deadlineMs: DEADLINE_MS,
    async spin() {
      try {
        new peer.VM({ timeout: DEADLINE_MS }).run('for(;;);')
      } catch {
        // Its timeout.
      }
    },
    well: async () => new peer.VM({ timeout: DEADLINE_MS }).run('"well"'),
    close: async () => undefined,
  }
}
