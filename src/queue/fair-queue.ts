import { CaissonError } from '../errors/caisson-error.ts'
import type { Lane } from '../types/engine.ts'
import { createLaneLine, type LaneLine, type QueueSlot, type Waiter } from './lane-line.ts'

export type { QueueSlot } from './lane-line.ts'

export interface QueueRequest {
  readonly lane: Lane
  /** Whose call it is; absent for a call that is nobody's. */
  readonly tenant: object | undefined
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** Bounded waiting for engine slots, fair between tenants. */
export interface FairQueue {
  /** A free slot at once, or undefined when the call has to wait. */
  take(request: QueueRequest): QueueSlot | undefined
  /** Waits; rejects with `OVERLOADED`, `QUEUE_TIMEOUT` or `ABORTED_BEFORE_DISPATCH`. */
  wait(request: QueueRequest): Promise<QueueSlot>
  readonly depth: number
}

/** How many calls may wait over all lanes: in all, and of one tenant. */
export interface QueueSpec {
  readonly maxQueue: number
  readonly maxQueuePerTenant: number
}

/** Creates the queue of a host. */
export function createFairQueue(spec: QueueSpec): FairQueue {
  const lines = new Map<string, LaneLine>()
  const counts = createCounts()
  const lineOf = (lane: Lane): LaneLine => {
    const line = lines.get(lane.name) ?? createLaneLine(lane)
    lines.set(lane.name, line)
    return line
  }
  return {
    get depth() {
      return counts.total
    },
    take: ({ lane }) => lineOf(lane).take(),
    wait(request) {
      const { signal, tenant } = request
      if (signal.aborted) return Promise.reject(abortedWhileQueued())
      if (counts.total >= spec.maxQueue || counts.of(tenant) >= spec.maxQueuePerTenant) {
        return Promise.reject(overloaded(counts.total))
      }
      return waitInLine(request, lineOf(request.lane), counts)
    },
  }
}

interface Counts {
  readonly total: number
  /** How many of one tenant; nobody's calls count as none. */
  of(tenant: object | undefined): number
  change(tenant: object | undefined, by: 1 | -1): void
}

function createCounts(): Counts {
  const ofTenant = new Map<object, number>()
  let total = 0
  const of: Counts['of'] = (tenant) => (tenant === undefined ? 0 : (ofTenant.get(tenant) ?? 0))
  return {
    get total() {
      return total
    },
    of,
    change(tenant, by) {
      total += by
      if (tenant === undefined) return
      const left = of(tenant) + by
      if (left === 0) ofTenant.delete(tenant)
      else ofTenant.set(tenant, left)
    },
  }
}

function waitInLine(request: QueueRequest, line: LaneLine, counts: Counts): Promise<QueueSlot> {
  const { signal, tenant, timeoutMs } = request
  const since = performance.now()
  return new Promise((resolve, reject) => {
    const stopWaiting = (): void => {
      counts.change(tenant, -1)
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
    }
    const giveUp = (toError: () => CaissonError): void => {
      if (!line.leave(waiter)) return
      const error = toError()
      stopWaiting()
      reject(error)
    }
    const aborted = (): void => giveUp(abortedWhileQueued)
    const late = (): void => giveUp(() => tooLong(counts.total, performance.now() - since))
    const waiter: Waiter = {
      tenant,
      grant(slot) {
        stopWaiting()
        resolve(slot)
      },
    }
    const timer = setTimeout(late, timeoutMs)
    signal.addEventListener('abort', aborted, { once: true })
    line.join(waiter)
    counts.change(tenant, 1)
  })
}

function abortedWhileQueued(): CaissonError {
  return new CaissonError('ABORTED_BEFORE_DISPATCH', 'the call was aborted while queued')
}

function overloaded(depth: number): CaissonError {
  return new CaissonError('OVERLOADED', `the queue is full (${depth} calls wait)`, {
    depth,
    waitedMs: 0,
  })
}

function tooLong(depth: number, ms: number): CaissonError {
  const waitedMs = Math.round(ms)
  const message = `the call waited ${waitedMs} ms for a free slot (queueTimeoutMs)`
  return new CaissonError('QUEUE_TIMEOUT', message, { depth, waitedMs })
}
