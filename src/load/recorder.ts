import type { CallResult } from '../types/call.ts'
import { createLatency, percentileMs, recordMs, type Histogram } from './latency.ts'

/** What became of calls, as counts. */
export interface CallCounts {
  /** Arrivals that were due: those that were started and those that were dropped. */
  offered: number
  ok: number
  failed: number
  /** Arrivals that were never started: too many calls were under way. */
  dropped: number
  /** Started, and ended with the load before they had an answer. */
  unfinished: number
  /** Attempts at bodies beyond the first of each call. */
  retries: number
}

/** Failures of one code, and the message of the first. */
export interface FailureCount {
  count: number
  readonly message: string
}

/** What one call showed. Times in milliseconds. */
export interface Settled {
  /** Index of the call in the mix. */
  readonly index: number
  readonly result: CallResult
  /** From when it was meant to start until it had settled. */
  readonly responseMs: number
}

/** What was recorded since the last cut. Percentiles are of the response time of successes. */
export interface Slice extends CallCounts {
  readonly failures: Readonly<Record<string, number>>
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

interface Latencies {
  /** Successes, from the intended start. */
  readonly response: Histogram
  /** Successes, what the call took without its wait in the host's queue. */
  readonly service: Histogram
  /** Successes, the wait in the host's queue. */
  readonly queue: Histogram
  /** Failures, from the intended start. */
  readonly failed: Histogram
  /** How late calls were started. */
  readonly lag: Histogram
}

/** Collects what calls show; nothing here is done more often than once a call, and nothing waits. */
export interface Recorder {
  readonly counts: CallCounts
  readonly failures: ReadonlyMap<string, FailureCount>
  readonly latencies: Latencies
  /** Response time of the successes of each call of the mix. */
  readonly byCall: readonly { readonly ok: Histogram; failed: number }[]
  dropped(): void
  started(lateMs: number): void
  unfinished(): void
  settled(call: Settled): void
  /** What has come in since the last cut. */
  cut(): Slice
}

const MAX_CODES = 64

/** Creates an empty recorder for a mix of `calls` calls. */
export function createRecorder(calls: number): Recorder {
  const counts = zero()
  const failures = new Map<string, FailureCount>()
  const latencies = {
    response: createLatency(),
    service: createLatency(),
    queue: createLatency(),
    failed: createLatency(),
    lag: createLatency(),
  }
  const byCall = Array.from({ length: calls }, () => ({ ok: createLatency(2), failed: 0 }))
  const recent = createLatency(2)
  let before = { ...counts }
  let recentFailures: Record<string, number> = {}
  const fail = (code: string, message: string): void => {
    recentFailures[code] = (recentFailures[code] ?? 0) + 1
    const known = failures.get(code)
    if (known !== undefined) known.count += 1
    else if (failures.size < MAX_CODES) failures.set(code, { count: 1, message })
  }
  return {
    counts,
    failures,
    latencies,
    byCall,
    dropped() {
      counts.offered += 1
      counts.dropped += 1
    },
    started(lateMs) {
      counts.offered += 1
      recordMs(latencies.lag, lateMs)
    },
    unfinished() {
      counts.unfinished += 1
    },
    settled({ index, result, responseMs }) {
      counts.retries += Math.max(0, result.attempts.length - 1)
      const row = byCall[index]
      if (result.isError) {
        counts.failed += 1
        if (row !== undefined) row.failed += 1
        recordMs(latencies.failed, responseMs)
        fail(result.error.code, result.error.message)
        return
      }
      const { totalMs, queueMs } = result.timings
      counts.ok += 1
      recordMs(latencies.response, responseMs)
      recordMs(latencies.service, totalMs - queueMs)
      recordMs(latencies.queue, queueMs)
      recordMs(recent, responseMs)
      if (row !== undefined) recordMs(row.ok, responseMs)
    },
    cut() {
      const slice = {
        ...subtract(counts, before),
        failures: recentFailures,
        p50: percentileMs(recent, 50),
        p95: percentileMs(recent, 95),
        p99: percentileMs(recent, 99),
        max: percentileMs(recent, 100),
      }
      recent.reset()
      recentFailures = {}
      before = { ...counts }
      return slice
    },
  }
}

function zero(): CallCounts {
  return { offered: 0, ok: 0, failed: 0, dropped: 0, unfinished: 0, retries: 0 }
}

function subtract(now: CallCounts, before: CallCounts): CallCounts {
  return {
    offered: now.offered - before.offered,
    ok: now.ok - before.ok,
    failed: now.failed - before.failed,
    dropped: now.dropped - before.dropped,
    unfinished: now.unfinished - before.unfinished,
    retries: now.retries - before.retries,
  }
}
