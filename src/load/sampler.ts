import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks'
import { childrenOf } from '../sandbox/process-tree.ts'

/** How the host and its children are doing at one moment. */
export interface HostSample {
  /** Since the last sample: how late the event loop was, at worst and at the 99th percentile. */
  readonly loopP99Ms: number
  readonly loopMaxMs: number
  readonly hostMb: number
  /** Absent where the system does not tell. */
  readonly childrenMb?: number
  readonly children: number
}

/** How the host did over the whole load. */
export interface HostReport {
  readonly eventLoop: {
    readonly p50Ms: number
    readonly p99Ms: number
    readonly maxMs: number
    /** Share of the time in which the loop was busy, from 0 to 1. */
    readonly utilization: number
  }
  readonly gc: { readonly count: number; readonly totalMs: number; readonly maxMs: number }
  readonly memory: {
    readonly hostStartMb: number
    readonly hostPeakMb: number
    readonly hostEndMb: number
    readonly childrenPeakMb?: number
    readonly childrenEndMb?: number
    readonly childrenPeak: number
  }
}

/** Watches the event loop, the garbage collector and memory until it is stopped. */
export interface Sampler {
  sample(): HostSample
  /** Ends the watch. */
  stop(): HostReport
}

type DelayMonitor = ReturnType<typeof monitorEventLoopDelay>

const MB = 1024 * 1024
const KB_PER_MB = 1_024
const MOST_PROCESSES = 1_000
/** The monitor measures from one of its own timers to the next: this much is not delay. */
const RESOLUTION_MS = 10
const NS = 1e6

/** Begins to watch this process, and what runs below the children whose ids `childPids` gives. */
export function createSampler(childPids: () => readonly number[]): Sampler {
  const whole = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const recent = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  whole.enable()
  recent.enable()
  const gc = watchCollector()
  const begun = performance.eventLoopUtilization()
  const start = hostMb()
  const peak = { host: start, children: 0, count: 0 }
  const look = (): { host: number; children: number | undefined; count: number } => {
    const pids = childPids()
    const host = hostMb()
    const children = childrenMb(pids)
    peak.host = Math.max(peak.host, host)
    peak.children = Math.max(peak.children, children ?? 0)
    peak.count = Math.max(peak.count, pids.length)
    return { host, children, count: pids.length }
  }
  return {
    sample() {
      const { host, children, count } = look()
      const sample = { loopP99Ms: delayMs(recent, 99), loopMaxMs: delayMs(recent, 100) }
      recent.reset()
      const seen = children === undefined ? {} : { childrenMb: round(children) }
      return { ...sample, hostMb: round(host), ...seen, children: count }
    },
    stop() {
      const last = look()
      whole.disable()
      recent.disable()
      const children = { childrenPeakMb: round(peak.children), childrenEndMb: round(last.children) }
      return {
        eventLoop: {
          p50Ms: delayMs(whole, 50),
          p99Ms: delayMs(whole, 99),
          maxMs: delayMs(whole, 100),
          utilization: round(performance.eventLoopUtilization(begun).utilization),
        },
        gc: gc.stop(),
        memory: {
          hostStartMb: round(start),
          hostPeakMb: round(peak.host),
          hostEndMb: round(last.host),
          ...(last.children === undefined ? {} : children),
          childrenPeak: peak.count,
        },
      }
    },
  }
}

function watchCollector(): { stop(): HostReport['gc'] } {
  let count = 0
  let totalMs = 0
  let maxMs = 0
  const note = (entries: readonly { readonly duration: number }[]): void => {
    for (const { duration } of entries) {
      count += 1
      totalMs += duration
      maxMs = Math.max(maxMs, duration)
    }
  }
  const observer = new PerformanceObserver((list) => note(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  return {
    stop() {
      note(observer.takeRecords())
      observer.disconnect()
      return { count, totalMs: round(totalMs), maxMs: round(maxMs) }
    },
  }
}

function delayMs(histogram: DelayMonitor, percentile: number): number {
  if (histogram.count === 0) return 0
  const ns = percentile >= 100 ? histogram.max : histogram.percentile(percentile)
  return round(Math.max(0, ns / NS - RESOLUTION_MS))
}

function hostMb(): number {
  return process.memoryUsage.rss() / MB
}

/** Resident memory of processes and all below them; pages that they share are counted for each. */
function childrenMb(pids: readonly number[]): number | undefined {
  if (process.platform !== 'linux') return undefined
  const open = [...pids]
  const seen = new Set<number>()
  let sum = 0
  for (let pid = open.pop(); pid !== undefined && seen.size < MOST_PROCESSES; pid = open.pop()) {
    if (seen.has(pid)) continue
    seen.add(pid)
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readStatus(pid)) ?? []
    sum += Number(kilobytes ?? 0) / KB_PER_MB
    open.push(...childrenOf(pid))
  }
  return sum
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1')
  } catch {
    return '' // It ended between two looks.
  }
}

function round(value: number = 0): number {
  return Math.round(value * 100) / 100
}
