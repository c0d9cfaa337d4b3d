import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { basename } from 'node:path'
import type { ToolHost } from '../host/create-tool-host.ts'
import type { LoadedTools } from '../host/load.ts'
import type { Environment } from '../load/report.ts'
import type { SandboxProfile } from '../types/profile.ts'
import { version } from '../host/version.ts'

/** The machine, and what a tool of the host runs in on it. */
export function describeEnvironment(
  host: ToolHost,
  loaded: readonly LoadedTools[],
  tool: string,
): Environment {
  const own = loaded.find(({ tools }) => tools.includes(tool))
  const info = host.tools.get(tool)
  const profile = info?.profile === undefined ? undefined : host.profiles.resolve(info.profile)
  return {
    caisson: version(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown processor',
    engine: info?.engine ?? 'inline',
    profile: profile?.name ?? 'none',
    sandbox: describeSandbox(profile, host.childPids()),
    state: describeState(profile, own?.state),
  }
}

function describeState(profile: SandboxProfile | undefined, state: LoadedTools['state']): string {
  if (profile?.engine === 'thread') return 'kept by its worker'
  if (state === undefined) return 'fresh'
  return state.reason === undefined ? state.name : `${state.name} (${state.reason})`
}

function describeSandbox(profile: SandboxProfile | undefined, pids: readonly number[]): string {
  switch (profile?.engine) {
    case 'isolate': {
      const shared = profile.isolation === 'dense' ? ' that calls share' : ''
      const walls = pids.some(isBubblewrap) ? 'in bubblewrap' : 'under rlimits alone'
      return `V8 isolate in a child process${shared}, ${walls}`
    }
    case 'process':
      return profile.confinement === 'none'
        ? 'none, the profile switches it off'
        : 'bubblewrap with a filter of system calls'
    case 'thread':
      return 'none, a worker thread of the host'
    default:
      return 'none, the host itself'
  }
}

// Where confinement is only preferred, the process table knows whether there is any.
function isBubblewrap(pid: number): boolean {
  try {
    const [program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
    return basename(program) === 'bwrap'
  } catch {
    return false
  }
}
