import { join } from 'node:path'
import { toGrantedFolders } from '../../sandbox/granted-folders.ts'
import type { CommandSource } from '../../types/command.ts'
import type { Lane, ToolBody } from '../../types/engine.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import { createCommandBody } from './command-body.ts'
import { createStandIns, nodeBind, toProgramEnv } from './program-env.ts'
import type { Sandboxes } from './sandboxes.ts'

/** What running commands takes. */
export interface CommandParts {
  readonly sandboxes: Sandboxes
  readonly lane: Lane
  readonly workspace: string
  readonly hostPath: string
}

const MB = 1024 * 1024
/** What our own first process takes. */
const INIT_MB = 8

/** The body of a command tool. Throws `CONFIG_INVALID` for grants that no program can be given. */
export function createCommand(
  { sandboxes, lane, workspace, hostPath }: CommandParts,
  { root, manifest, files }: CommandSource,
  profile: SandboxProfile,
): ToolBody {
  const { limits, confinement } = profile
  const folders = toGrantedFolders(profile.fs)
  const home = confinement === 'none' ? root : '/package'
  return createCommandBody({
    manifest,
    outputBytes: limits.outputBytes,
    logBytes: limits.logBytes,
    cpuMs: limits.cpuMs,
    lane,
    fileAt: (path) => join(home, path),
    standIns: () => createStandIns(profile),
    open: (argv, standIns) =>
      sandboxes.open({
        argv,
        env: toProgramEnv(profile, hostPath, standIns),
        hasStdin: manifest.input === 'json',
        hasChannel: false,
        profile,
        roots: { workspace, package: root },
        folders,
        files,
        binds: [nodeBind(process.execPath)],
        memoryBytes: (limits.memoryMb + INIT_MB) * MB,
      }),
  })
}
