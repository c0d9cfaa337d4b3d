import type { Readable, Writable } from 'node:stream'
import { toGrantedFolders } from '../../sandbox/granted-folders.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { nodeBind, toProgramEnv } from './program-env.ts'
import type { Sandboxes } from './sandboxes.ts'
import type { Outward } from './way-out.ts'

/** A program that stays: its streams, and how to end it with all it has started. */
export interface ConfinedServer {
  readonly pid: number | undefined
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves once all of it is dead. Whether to start it again is the caller's affair. */
  readonly ended: Promise<EngineDeath>
  readonly hasEnded: boolean
  /**
   * Closes its stdin and asks it to end; what is left after `graceMs` is killed. Resolves once all of
   * it is dead.
   */
  stop(graceMs: number): Promise<EngineDeath>
  /** Ends it at once, for `cause`. */
  kill(cause?: EngineDeath['cause'], detail?: string): void
}

export interface ConfinedServerSpec {
  readonly argv: readonly [string, ...string[]]
  /** What its own settings add to the environment that the profile gives. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute folder of the server's own files, shown as `/package` where the profile grants that. */
  readonly root: string
  readonly profile: SandboxProfile
  /** Who answers for its way out, where its profile gives it one; nobody does without. */
  readonly outward?: Outward
}

const MB = 1024 * 1024
const INIT_MB = 8

/** Starts a long-lived program under a profile of the process engine. Throws what `open` throws. */
export async function createConfinedServer(
  parts: {
    readonly sandboxes: Sandboxes
    readonly workspace: string
    readonly hostPath: string
  },
  { argv, env, root, profile, outward }: ConfinedServerSpec,
): Promise<ConfinedServer> {
  const sandbox = await parts.sandboxes.open({
    argv,
    env: { ...toProgramEnv(profile, parts.hostPath), ...env },
    hasStdin: true,
    hasChannel: false,
    profile,
    roots: { workspace: parts.workspace, package: root },
    folders: toGrantedFolders(profile.fs),
    binds: [nodeBind(process.execPath)],
    memoryBytes: (profile.limits.memoryMb + INIT_MB) * MB,
  })
  if (outward !== undefined) sandbox.wayOut?.open(outward)
  const { pid, stdin, stdout, stderr } = sandbox.process
  if (stdin === undefined) throw new Error('the sandbox was opened without stdin')
  return {
    pid,
    stdin,
    stdout,
    stderr,
    ended: sandbox.dead,
    get hasEnded() {
      return sandbox.isDead
    },
    async stop(graceMs) {
      stdin.end()
      sandbox.process.terminate()
      const timer = setTimeout(() => sandbox.kill('killed', 'grace is over'), graceMs)
      const death = await sandbox.dead
      clearTimeout(timer)
      return death
    },
    kill: sandbox.kill,
  }
}
