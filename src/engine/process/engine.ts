import { openCgroups } from '../../sandbox/cgroup-open.ts'
import type { Cgroups } from '../../sandbox/cgroup.ts'
import { createConfiner } from '../../sandbox/confiner.ts'
import type { CommandSource } from '../../types/command.ts'
import type { EngineCounts, Lane, ToolBody } from '../../types/engine.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type { BundledSource, LoadedSource } from '../../types/source.ts'
import { createGate } from '../shared/gate.ts'
import { createCommand } from './command-source.ts'
import {
  createConfinedServer,
  type ConfinedServer,
  type ConfinedServerSpec,
} from './confined-server.ts'
import { loadModule } from './module-source.ts'
import type { ShellSpec } from './shell-body.ts'
import { createShell } from './shell-source.ts'
import { createSandboxes, kernelLimitsMissing } from './sandboxes.ts'

/** Runs programs, one confined child per call or per server. */
export interface ProcessEngine {
  /** Its slots are the bodies that may run at once. */
  readonly lane: Lane
  /** Throws `CONFIG_INVALID` for a profile whose limits nobody can keep on this machine. */
  checkProfile(profile: SandboxProfile): void
  /** Runs module top level and registration in a sandbox; the manifests are unchecked. */
  load(source: BundledSource, profile: SandboxProfile): Promise<LoadedSource>
  /** The body of a command. Throws `CONFIG_INVALID` for grants that no program can be given. */
  command(source: CommandSource, profile: SandboxProfile): ToolBody
  /** What runs shell lines under a profile; `keptBytes` of each stream are kept. */
  shell(profile: SandboxProfile, keptBytes: number): ShellSpec
  /** Starts a program that stays. Throws `SANDBOX_UNAVAILABLE` when nothing can be confined here. */
  serve(spec: ConfinedServerSpec): Promise<ConfinedServer>
  pids(): number[]
  counts(): EngineCounts
  /** Ends everything; resolves once it is dead. */
  close(): Promise<void>
}

export interface ProcessEngineSpec {
  /** Plain JavaScript text of workers/process/shim; asked for when the first program is. */
  shim(): Promise<string>
  readonly workspace: string
  /** Where programs are looked for, as in the variable of that name. */
  readonly hostPath: string
  readonly maxPrograms: number
  readonly loadTimeoutMs: number
  diagnose(text: string): void
}

/** Creates the engine; nothing is started or looked at before it is needed. */
export function createProcessEngine(spec: ProcessEngineSpec): ProcessEngine {
  const { workspace, hostPath, maxPrograms, loadTimeoutMs, diagnose } = spec
  const groups = onDemand()
  const sandboxes = createSandboxes({
    confiner: createConfiner({ path: hostPath, diagnose }),
    cgroups: groups.get,
    diagnose,
  })
  const lane: Lane = { name: 'process', slots: maxPrograms }
  let text: Promise<string> | undefined
  const shim = (): Promise<string> => {
    text ??= spec.shim()
    text.catch(() => (text = undefined)) // The next program tries again.
    return text
  }
  const parts = { sandboxes, lane, workspace, hostPath, loadTimeoutMs, shim }
  const modules = { ...parts, aside: createGate(maxPrograms) }
  return {
    lane,
    checkProfile({ name, kernelLimits }) {
      const found = kernelLimits === 'required' ? groups.get() : undefined
      if (typeof found === 'string') throw kernelLimitsMissing(name, found)
    },
    load: (source, profile) => loadModule(modules, source, profile),
    command: (source, profile) => createCommand(parts, source, profile),
    shell: (profile, keptBytes) => createShell(parts, profile, keptBytes),
    serve: (server) => createConfinedServer(parts, server),
    pids: sandboxes.pids,
    counts: sandboxes.counts,
    async close() {
      await sandboxes.close()
      groups.close()
    },
  }
}

/** The place for cgroups of this host, looked for when somebody first needs it. */
function onDemand(): { get(): Cgroups | string; close(): void } {
  let found: Cgroups | string | undefined
  return {
    get() {
      if (found !== undefined) return found
      const opened = openCgroups()
      return (found = 'create' in opened ? opened : opened.reason)
    },
    close() {
      if (typeof found === 'object') found.close()
    },
  }
}
