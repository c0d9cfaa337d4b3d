import { toGrantedFolders } from '../../sandbox/granted-folders.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type { CommandParts } from './command-source.ts'
import { createStandIns, nodeBind, toProgramEnv } from './program-env.ts'
import type { ShellSpec } from './shell-body.ts'

const MB = 1024 * 1024
/** What our own first process takes. */
const INIT_MB = 8

/** What runs shell lines under a profile. Throws `CONFIG_INVALID` for grants no program can be given. */
export function createShell(
  { sandboxes, lane, workspace, hostPath }: CommandParts,
  profile: SandboxProfile,
  keptBytes: number,
): ShellSpec {
  const folders = toGrantedFolders(profile.fs)
  return {
    lane,
    keptBytes,
    workspace: profile.confinement === 'none' ? workspace : '/workspace',
    standIns: () => createStandIns(profile),
    open: (argv, standIns) =>
      sandboxes.open({
        argv,
        env: toProgramEnv(profile, hostPath, standIns),
        hasStdin: false,
        hasChannel: false,
        profile,
        roots: { workspace, package: workspace },
        folders,
        binds: [nodeBind(process.execPath)],
        memoryBytes: (profile.limits.memoryMb + INIT_MB) * MB,
      }),
  }
}
