import { CaissonError } from '../../errors/caisson-error.ts'
import type { Bind, BoundFile } from '../../sandbox/bwrap-args.ts'
import type { Cgroup, Cgroups } from '../../sandbox/cgroup.ts'
import type { ConfinedProcess, ProgramSpec } from '../../sandbox/confined-process.ts'
import { toUnavailable, type Confiner } from '../../sandbox/confiner.ts'
import { findCovers } from '../../sandbox/find-covers.ts'
import {
  locateFolders,
  type GrantedFolder,
  type RootFolders,
} from '../../sandbox/granted-folders.ts'
import { createPlaceholders } from '../../sandbox/placeholders.ts'
import { REPLACED } from '../../sandbox/start-confined.ts'
import { startUnconfined } from '../../sandbox/start-unconfined.ts'
import type { EngineCounts } from '../../types/engine.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type { HeldFile } from '../../types/source.ts'
import { isConfirmed } from '../shared/confirm.ts'
import { createTally } from '../shared/tally.ts'
import { DOOR, hasDoor } from './program-env.ts'
import { tasksOf, tmpfsBytesOf, toResourceLimits } from './resource-limits.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { createWayOut, type WayOut } from './way-out.ts'

/** A program under a profile: all that a sandbox for it is made from. */
export interface Program extends ProgramSpec {
  readonly profile: SandboxProfile
  readonly roots: RootFolders
  /** What of the roots it is given. */
  readonly folders: readonly GrantedFolder[]
  /** What it needs besides, for itself. */
  readonly binds: readonly Bind[]
  /** Of its tool's own, as they were when that was loaded; where its profile shows them. */
  readonly files?: readonly HeldFile[]
  /** Of the whole sandbox. */
  readonly memoryBytes: number
  /** Of one process, where the program is known to ask for no more. */
  readonly dataBytes?: number
}

/** Opens sandboxes and knows those that are open. */
export interface Sandboxes {
  /**
   * Starts the program. Throws `SANDBOX_UNAVAILABLE` when nothing can be confined here,
   * `CONFIG_INVALID` when the profile asks for limits that nobody can keep, and what is wrong with
   * the folders it grants.
   */
  open(program: Program): Promise<Sandbox>
  /** Ids of this host's children and of the first process in each. */
  pids(): number[]
  counts(): EngineCounts
  /** Ends all of them; resolves once they are dead. */
  close(): Promise<void>
}

export interface SandboxesSpec {
  readonly confiner: Confiner
  /** Where limits of the kernel come from; a text says why there are none. */
  readonly cgroups: () => Cgroups | string
  diagnose(text: string): void
}

const PACKAGE = '/package'
const START_MS = 5_000
/** One that carries no request costs the host something too. */
const SPARE_CONNECTIONS = 100

interface Started {
  readonly process: ConfinedProcess
  release(): Promise<void>
}

/** Creates the register; it starts nothing by itself. */
export function createSandboxes(spec: SandboxesSpec): Sandboxes {
  const live = new Set<Sandbox>()
  const placeholders = createPlaceholders()
  const tally = createTally()
  let closed = false
  let groupsFail = false
  const openGroup = ({ profile, memoryBytes }: Program): Cgroup | undefined => {
    if (profile.confinement === 'none') return undefined
    const cgroups = groupsFail ? 'this process cannot be moved in its cgroup' : spec.cgroups()
    if (typeof cgroups !== 'string') return cgroups.create({ memoryBytes, pids: tasksOf(profile) })
    if (profile.kernelLimits !== 'required') return undefined
    throw kernelLimitsMissing(profile.name, cgroups)
  }
  const hold = async (group: Cgroup, pid: number): Promise<void> => {
    try {
      await group.add(pid)
    } catch (error) {
      groupsFail = true
      spec.diagnose(`cgroups are not used any more: ${String(error)}`)
      throw error
    }
  }
  const start = async (program: Program, group: Cgroup | undefined): Promise<Started> => {
    const { profile, roots, folders } = program
    const limits = toResourceLimits(program, group)
    if (profile.confinement === 'none') {
      const process = startUnconfined({ ...program, limits, cwd: roots.workspace })
      return { process, release: async () => undefined }
    }
    const granted = await locateFolders(folders, roots)
    const files = shownFiles(program, granted)
    const release = await placeholders.hold(granted)
    try {
      const process = await spec.confiner.start({
        ...program,
        limits,
        binds: [
          ...granted.filter(({ to }) => !files.some((file) => file.to === to)),
          ...program.binds,
        ],
        files,
        covers: await findCovers(granted),
        tmpfsBytes: tmpfsBytesOf(profile),
        ...(hasDoor(profile) ? { door: DOOR } : {}),
        cwd: granted.some(({ to }) => to.startsWith('/workspace')) ? '/workspace' : '/tmp',
        ...(group === undefined ? {} : { hold: (pid) => hold(group, pid) }),
      })
      return { process, release }
    } catch (error) {
      await release()
      throw error
    }
  }
  const openOnce = async (program: Program): Promise<Sandbox> => {
    const group = openGroup(program)
    const removeGroup = async (): Promise<void> => group?.remove()
    const { process, release } = await start(program, group).catch(async (error: unknown) => {
      await removeGroup()
      throw error
    })
    const sandbox = createSandbox(process, {
      group,
      limits: { memoryBytes: program.memoryBytes, tasks: tasksOf(program.profile) },
      wayOut: openWayOut(program.profile, process),
      async ended() {
        live.delete(sandbox)
        await Promise.all([removeGroup(), release()])
      },
      lost() {
        live.delete(sandbox)
        tally.lost()
        spec.diagnose('a program cannot be ended: its place is written off')
      },
    })
    live.add(sandbox)
    tally.started()
    void sandbox.dead.then(({ cause, detail }) => {
      if (!closed && detail !== '' && cause !== 'exit' && cause !== 'spawn') tally.killed()
    })
    if (closed) sandbox.kill('killed', 'the host is closed')
    return sandbox
  }
  return {
    counts: tally.counts,
    async open(program) {
      if (closed) throw hostClosed()
      const confined = program.profile.confinement !== 'none'
      const failure = confined ? await spec.confiner.check() : undefined
      if (failure !== undefined) throw toUnavailable(failure)
      const hadGroups = !groupsFail
      const sandbox = await openOnce(program)
      if (await hasStarted(sandbox)) return sandbox
      // The first failure of a cgroup is how one learns that they do not work here.
      if (hadGroups && groupsFail) return await startedOrThrow(await openOnce(program), spec)
      return await startedOrThrow(sandbox, spec)
    },
    pids: () =>
      [...live].flatMap(({ process: { pid, root } }) => [...new Set([pid, root])].filter(isKnown)),
    async close() {
      closed = true
      const open = [...live]
      for (const sandbox of open) sandbox.kill('killed', 'the host is closed')
      await Promise.all(open.map(({ dead }) => isConfirmed(dead)))
    },
  }
}

/** What is held of the tool's own files, as far as its profile shows them. */
function shownFiles({ files = [] }: Program, granted: readonly Bind[]): BoundFile[] {
  return files
    .map(({ path, bytes }) => ({ to: `${PACKAGE}/${path}`, bytes }))
    .filter(({ to }) => granted.some((bind) => to === bind.to || to.startsWith(`${bind.to}/`)))
}

function openWayOut(profile: SandboxProfile, process: ConfinedProcess): WayOut | undefined {
  if (!hasDoor(profile)) return undefined
  const connections = profile.limits.capabilityCalls + SPARE_CONNECTIONS
  return createWayOut(process.door, { bodyBytes: profile.fetch?.maxBytes ?? 0, connections })
}

/** The error of a profile whose limits the kernel would have to keep, where it cannot be made to. */
export function kernelLimitsMissing(profile: string, reason: string): CaissonError {
  const text = `profile '${profile}' requires limits kept by the kernel, and there are none: ${reason}`
  return new CaissonError('CONFIG_INVALID', text, { profile, reason })
}

async function hasStarted(sandbox: Sandbox): Promise<boolean> {
  const timer = setTimeout(() => sandbox.kill('spawn', 'it was not ready in time'), START_MS)
  const started = await sandbox.process.started
  clearTimeout(timer)
  return started
}

async function startedOrThrow(sandbox: Sandbox, { diagnose }: SandboxesSpec): Promise<Sandbox> {
  if (await hasStarted(sandbox)) return sandbox
  const { cause, detail, signal } = await sandbox.dead
  if (cause !== 'spawn') throw hostClosed()
  if (detail === REPLACED) throw new CaissonError('FS_SANDBOX_DENIED', REPLACED)
  if (signal !== undefined) {
    const text = `a sandbox was ended while it was set up (${signal})`
    throw new CaissonError('ENGINE_UNAVAILABLE', text)
  }
  diagnose(`a sandbox could not be set up: ${detail}`)
  throw toUnavailable({
    reason: 'this sandbox could not be set up',
    hint: 'see the diagnostics of the host',
  })
}

function hostClosed(): CaissonError {
  return new CaissonError('HOST_CLOSED', 'the host is closed')
}

function isKnown(pid: number | undefined): pid is number {
  return pid !== undefined
}
