import { availableParallelism, cpus } from 'node:os'
import type { ToolHost } from '../host/create-tool-host.ts'
import type { Environment } from '../load/report.ts'
import type { SandboxProfile } from '../types/profile.ts'
import { version } from './version.ts'

/** The machine, and what a tool of the host runs in on it. */
export function describeEnvironment(host: ToolHost, tool: string): Environment {
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
    sandbox: describeSandbox(profile),
    state: info?.engine === 'isolate' || info?.engine === 'process' ? 'fresh' : 'kept',
  }
}

function describeSandbox(profile: SandboxProfile | undefined): string {
  switch (profile?.engine) {
    case 'isolate':
      return 'V8 isolate in a supervised child process under rlimits'
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
