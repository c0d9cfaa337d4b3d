import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { heapLimits } from './heap-limit.ts'

export interface SoloSpec {
  /** Plain JavaScript text of workers/thread/stage. */
  readonly code: string
  readonly memoryMb: number
}

/** How the one thread of a pool ends. */
export interface SoloEnd {
  failed(error: unknown): void
  exited(code: number): void
}

const SCRIPT = fileURLToPath(
  new URL(
    `../../../workers/thread/worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
    import.meta.url,
  ),
)

/**
 * A Piscina of exactly one thread, whose first task starts it. Piscina can neither address one of its
 * workers nor retire one after a task, and its limits hold for a whole pool; alone in a pool, a worker
 * can be all of that.
 */
export function createSoloPool({ code, memoryMb }: SoloSpec): Piscina {
  const pool = new Piscina({
    filename: SCRIPT,
    workerData: { code },
    // With more, it would start a worker of its own when one has ended.
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
    idleTimeout: Infinity,
    // The default blocks the worker's loop between tasks, and with it what shows a call is over.
    atomics: 'disabled',
    recordTiming: false,
    env: {},
    resourceLimits: heapLimits(memoryMb),
  })
  pool.on('error', () => undefined) // The death of an idle worker; seen by `watchThread` as well.
  return pool
}

/** Tells how the thread of a pool ends. Throws when none was started. */
export function watchThread(pool: Piscina, on: SoloEnd): void {
  const worker: Worker | undefined = pool.threads[0]
  if (worker === undefined) throw new Error('no thread was started')
  worker.on('error', on.failed)
  worker.on('exit', on.exited)
}
