import { release } from 'node:os'
import type { Cgroup } from '../../sandbox/cgroup.ts'
import type { ResourceLimits } from '../../sandbox/init-script.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import { hasDoor } from './program-env.ts'

const MB = 1024 * 1024
const OPEN_FILES = 512
const DOOR_TASKS = 8
/** Since then processes are counted in each user namespace by itself. */
const COUNTS_PER_NAMESPACE = [5, 14] as const
const SPARE_CPU_SECONDS = 2
const MS_PER_SECOND = 1_000

/** Of each of the file systems in memory that a program is given. */
export function tmpfsBytesOf({ process }: SandboxProfile): number {
  return (process?.tmpfsMb ?? 1) * MB
}

/**
 * Processes and threads of a sandbox: what the profile says, and our own first process. What opens a
 * way out takes its own before the program starts.
 */
export function tasksOf(profile: SandboxProfile): number {
  return Math.max((profile.process?.pids ?? 1) + 1, hasDoor(profile) ? DOOR_TASKS : 0)
}

/**
 * What every process of a sandbox is held to. The kernel's groups hold the whole of it better, so
 * what they hold is left to them.
 */
export function toResourceLimits(
  program: { readonly profile: SandboxProfile; readonly dataBytes?: number },
  group: Cgroup | undefined,
): ResourceLimits {
  const { profile, dataBytes } = program
  const { cpuMs } = profile.limits
  return {
    files: OPEN_FILES,
    // Beyond its tmpfs, so that what fills it meets an error and no signal.
    fileBytes: Math.max(2 * tmpfsBytesOf(profile), profile.fs?.maxBytes ?? 0),
    ...(dataBytes === undefined ? {} : { dataBytes }),
    ...(cpuMs === undefined
      ? {}
      : { cpuSeconds: Math.ceil(cpuMs / MS_PER_SECOND) + SPARE_CPU_SECONDS }),
    ...(group === undefined && countsProcesses(profile) ? { processes: tasksOf(profile) } : {}),
  }
}

// Nobody counts what root starts; and outside of a namespace all that the user runs would count.
function countsProcesses({ confinement }: SandboxProfile): boolean {
  if (confinement === 'none' || process.platform !== 'linux' || process.getuid?.() === 0)
    return false
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const [since, from] = COUNTS_PER_NAMESPACE
  return major > since || (major === since && minor >= from)
}
