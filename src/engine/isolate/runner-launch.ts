import type { RunnerWalls } from '../../sandbox/runner-walls.ts'

/** How a runner is started. One never stands in for another of a different launch. */
export interface RunnerLaunch {
  /** Of each isolate, in MB. */
  readonly memoryMb: number
  /** False: V8 interprets, and compiles nothing. */
  readonly jit: boolean
  /** The realm of frozen calls, for runners that serve nothing else. */
  readonly frozenRealm?: string
  /** Isolates that may live in it at once. */
  readonly isolates: number
  /** Whether a cgroup must hold its CPU time too, or holds what it can. */
  readonly kernelLimits: 'required' | 'preferred'
  /** Undefined: nothing but its user, its limits and its empty environment. */
  readonly walls: RunnerWalls | undefined
}

const MB = 1024 * 1024
const KERNEL_SLACK_MB = 64
/** What Node reserves, touched or not, in MB; each isolate reserves as much again as `each` says. */
const RESERVED = { jit: { node: 660, each: 520, least: 100, times: 2 } } as const
const RESERVED_JITLESS = { node: 160, each: 10, least: 128, times: 3 } as const
const RESIDENT_MB = 100
const RESIDENT_TIMES = 3
/** Threads of Node, of V8 and of the isolates. */
const TASKS = 64

/** What tells launches apart. */
export function launchKey(launch: RunnerLaunch): string {
  const { memoryMb, jit, isolates, kernelLimits, walls, frozenRealm } = launch
  const state = frozenRealm === undefined ? 'made' : 'frozen'
  return [memoryMb, jit, isolates, kernelLimits, walls?.kind ?? 'open', state].join()
}

/** Bytes of private data the kernel lets the process reserve (`RLIMIT_DATA`). */
export function dataBytes({ memoryMb, jit, isolates }: Sized): number {
  const { node, each, least, times } = jit ? RESERVED.jit : RESERVED_JITLESS
  return (node + isolates * (each + Math.max(least, times * memoryMb))) * MB
}

/** Resident bytes beyond which the host kills it. */
export function residentBytes({ memoryMb, isolates }: Sized): number {
  return (RESIDENT_MB + RESIDENT_TIMES * memoryMb * isolates) * MB
}

/** What a cgroup holds it to: a little more than the host, which knows better what it kills. */
export function groupLimits(launch: RunnerLaunch): {
  memoryBytes: number
  pids: number
  cpu: boolean
} {
  return {
    memoryBytes: residentBytes(launch) + KERNEL_SLACK_MB * MB,
    pids: TASKS,
    // A quota makes whoever passes it wait; it is for those who ask for it.
    cpu: launch.kernelLimits === 'required',
  }
}

type Sized = Pick<RunnerLaunch, 'memoryMb' | 'jit' | 'isolates'>
