import { availableParallelism } from 'node:os'

/** What the kernel holds a group of processes to. */
export interface CgroupLimits {
  /** Of everything in it, files in its tmpfs too; there is no swap on top. */
  readonly memoryBytes: number
  readonly pids: number
  /** False: it may use every core, all the time. */
  readonly cpu?: boolean
}

/** A group that holds one sandbox. */
export interface Cgroup {
  /** Moves a process in, and with it every process it starts from now on. Rejects where it may not. */
  add(pid: number): Promise<void>
  /** How many of its processes the kernel has ended for memory. */
  oomKills(): number
  /** CPU time of all of its processes so far; undefined where nobody counts it. */
  cpuMs(): number | undefined
  /** Takes the empty group away; gives up silently where processes are left in it. */
  remove(): Promise<void>
}

/** The place where a host makes its groups. */
export interface Cgroups {
  readonly version: 1 | 2
  /** Throws where the kernel does not take a limit. */
  create(limits: CgroupLimits): Cgroup
  close(): void
}

/** Why there is no such place. */
export interface NoCgroups {
  readonly reason: string
}

/** What `cpuQuotaUs` is a part of, in microseconds. */
export const CPU_PERIOD_US = 100_000

/** CPU time per period of one group: one core stays free for the host wherever there are two. */
export function cpuQuotaUs(): number {
  return Math.max(1, availableParallelism() - 1) * CPU_PERIOD_US
}
