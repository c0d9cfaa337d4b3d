import { setFlagsFromString } from 'node:v8'
import { CaissonError } from '../../errors/caisson-error.ts'
import type { EngineCounts } from '../../types/engine.ts'
import { createGate } from '../shared/gate.ts'
import { leaveWith } from '../shared/leave-with.ts'
import { parseDescription } from '../shared/parse-description.ts'
import { createTally, type Tally } from '../shared/tally.ts'
import type { Domain } from './domain.ts'
import { createHeapLimitCheck } from './heap-limit.ts'
import { createLookout } from './lookout.ts'
import { openWorker } from './open-worker.ts'
import { createThreadPool, type ThreadPool } from './pool.ts'
import { createThreadSeat, type ThreadSeat } from './seat.ts'
import { createStageWatch } from './stage-watch.ts'
import { createThreadWorker, type ThreadWorker } from './thread-worker.ts'

/** Lends workers that have loaded a domain's source. */
export interface Leases {
  /**
   * For a body, whose caller holds a slot; at once where a worker is at rest, or nearly so and not
   * asked for one that `mustRest`. Rejects with `LOAD_FAILED`, `ENGINE_UNAVAILABLE` or `HOST_CLOSED`.
   */
  lease(domain: Domain, options?: LeaseOptions): ThreadSeat | Promise<ThreadSeat>
  /** For what has no slot; at most two at a time, the others wait. */
  leaseAside(domain: Domain, options?: LeaseOptions): Promise<ThreadSeat>
  forget(domain: Domain): void
  warm(memoryMb: number): Promise<void>
  counts(): EngineCounts
  close(): Promise<void>
}

export interface LeaseOptions {
  readonly mustRest?: boolean
  readonly signal?: AbortSignal
}

export interface LeasesSpec {
  /** Plain JavaScript text of workers/thread/stage; asked for when the first thread is. */
  code(): Promise<string>
  readonly maxThreads: number
  readonly loadTimeoutMs: number
  diagnose(text: string): void
}

const ASIDE = 2

/** Creates the leases of an engine; its pool is made when first needed. */
export function createLeases(spec: LeasesSpec): Leases {
  const checkHeapLimit = createHeapLimitCheck(spec.diagnose)
  const aside = createGate(ASIDE)
  const stages = createStageWatch()
  const tally = createTally()
  let closed = false
  let pool: ThreadPool | undefined
  let starting: Promise<ThreadPool> | undefined
  const openPool = async (): Promise<ThreadPool> => {
    if (closed) throw new CaissonError('HOST_CLOSED', 'the host is closed')
    if (pool !== undefined) return pool
    starting ??= startPool(spec, tally).finally(() => (starting = undefined))
    return (pool = await starting)
  }
  const seatOf = (worker: ThreadWorker, domain: Domain, from: ThreadPool): ThreadSeat =>
    createThreadSeat(worker, stages, {
      giveBack: () =>
        domain.disposed ? void from.discard(worker) : from.giveBack(worker, domain.key),
      discard: () => from.discard(worker),
    })
  const leaseLater = async (domain: Domain, signal?: AbortSignal): Promise<ThreadSeat> => {
    const { key, memoryMb } = domain
    const from = await openPool()
    const { worker, opened } = await from.take({ key, memoryMb, ...(signal && { signal }) })
    const seat = seatOf(worker, domain, from)
    if (opened) return seat
    checkHeapLimit(await worker.ready, memoryMb)
    try {
      parseDescription(await openWorker(worker, domain.open))
      return seat
    } catch (error) {
      void seat.discard()
      throw error
    }
  }
  const lease: Leases['lease'] = (domain, { mustRest = false, signal } = {}) => {
    const worker = mustRest ? undefined : pool?.takeIdle(domain.key)
    if (pool === undefined || worker === undefined) return leaseLater(domain, signal)
    return seatOf(worker, domain, pool)
  }
  return {
    lease,
    async leaseAside(domain, options) {
      const leave = await aside.enter()
      try {
        return leaveWith(await lease(domain, options), leave)
      } catch (error) {
        leave()
        throw error
      }
    },
    forget(domain) {
      domain.disposed = true
      pool?.forget(domain.key)
    },
    warm: async (memoryMb) => (await openPool()).warm(memoryMb),
    counts: tally.counts,
    async close() {
      closed = true
      await starting?.catch(() => undefined)
      await pool?.close()
    },
  }
}

async function startPool(
  { code, maxThreads, ...spec }: LeasesSpec,
  tally: Tally,
): Promise<ThreadPool> {
  const { diagnose, loadTimeoutMs } = spec
  const text = await code()
  const lookout = createLookout()
  // Without it V8 compiles some loops without an interrupt check, and nothing ends their thread.
  setFlagsFromString('--no-turboshaft-loop-unrolling')
  return createThreadPool({
    maxWorkers: maxThreads + ASIDE,
    readyTimeoutMs: loadTimeoutMs,
    tally,
    diagnose,
    create: (memoryMb) =>
      createThreadWorker({
        code: text,
        memoryMb,
        lookout,
        late: (label, message) => diagnose(`${label}: failed after it had ended: ${message}`),
        stuck() {
          tally.lost()
          diagnose('a worker thread cannot be ended: its place is written off')
        },
      }),
  })
}
