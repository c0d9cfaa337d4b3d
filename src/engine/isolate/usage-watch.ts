import { closeSync, openSync, readSync } from 'node:fs'
import { residentBytes as residentLimit, type RunnerLaunch } from './runner-launch.ts'

/** Polls what a child uses while tool code may run in it: the fallback behind the kernel's own limits. */
export interface UsageWatch {
  /** Begins, or begins anew with the CPU time of a further request. */
  start(): void
  stop(): void
  /** CPU time from the next `start()` on, give or take one look; undefined for no limit. */
  limitCpu(ms: number | undefined): void
  residentBytes(): number
  /** CPU time so far in milliseconds, by the tick of 10; undefined where nobody tells. */
  cpuMs(): number | undefined
  /** Whether a death by `signal` without any last words was one of memory, going by its use. */
  classify(signal: string | undefined): { cause: 'memory'; detail: string } | undefined
}

const POLL_MS = 25
/** How many looks find nothing to do before there are no more. */
const IDLE_LOOKS = 4
const PAGE_BYTES = 4_096
const TICK_MS = 10
const MB = 1024 * 1024
const BASELINE_MB = 100
/** What V8 and the allocator die of when memory is refused to them. */
const ABORTS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS'])

/**
 * Calls `exceeded` when resident memory passes what the launch lets it have, or the CPU time since
 * `start()` passes its limit. Linux only; elsewhere it watches nothing. `find` names the process.
 */
export function createUsageWatch(
  find: () => number | undefined,
  launch: RunnerLaunch,
  exceeded: (what: 'memory' | 'cpu') => void,
): UsageWatch {
  const most = residentLimit(launch)
  const watched = (): number | undefined => (process.platform === 'linux' ? find() : undefined)
  let timer: NodeJS.Timeout | undefined
  let active = false
  let idleLooks = 0
  let cpuLimit: number | undefined
  /** CPU time when the request was first seen. */
  let begun: number | undefined
  let peak = 0
  const resident = (): number => {
    const pid = watched()
    const bytes = pid === undefined ? 0 : residentBytes(pid)
    peak = Math.max(peak, bytes)
    return bytes
  }
  const look = (): void => {
    if (!active) {
      idleLooks += 1
      if (idleLooks < IDLE_LOOKS) return
      clearInterval(timer)
      timer = undefined
      return
    }
    if (resident() > most) return exceeded('memory')
    const pid = cpuLimit === undefined ? undefined : watched()
    if (pid === undefined || cpuLimit === undefined) return
    const spent = cpuMs(pid)
    begun ??= spent
    if (spent - begun > cpuLimit) exceeded('cpu')
  }
  return {
    // Most requests are over before the next look: the timer outlives them, and costs them nothing.
    start() {
      active = true
      idleLooks = 0
      begun = undefined
      timer ??= setInterval(look, POLL_MS).unref()
    },
    stop() {
      active = false
    },
    limitCpu(ms) {
      cpuLimit = ms
    },
    residentBytes: resident,
    cpuMs() {
      const pid = watched()
      return pid === undefined ? undefined : cpuMs(pid)
    },
    classify(signal) {
      if (signal === undefined || !ABORTS.has(signal)) return undefined
      if (peak < (BASELINE_MB + launch.memoryMb) * MB) return undefined
      return { cause: 'memory', detail: 'it died of a signal while its memory was in use' }
    },
  }
}

// Resident bytes of a process, 0 when it is gone or the system does not tell.
function residentBytes(pid: number): number {
  return Number(readProc(pid, 'statm').split(' ')[1] ?? 0) * PAGE_BYTES
}

// Fields 14 and 15 of stat, in clock ticks; the name in field 2 may hold spaces and brackets.
function cpuMs(pid: number): number {
  const stat = readProc(pid, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS
}

function readProc(pid: number, name: string): string {
  try {
    const file = openSync(`/proc/${pid}/${name}`, 'r')
    try {
      const buffer = Buffer.alloc(1_024)
      return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return '' // The process ended between two polls; its exit event tells the rest.
  }
}
