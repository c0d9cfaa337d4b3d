import { createRequire } from 'node:module'
import { toUnavailable } from '../../sandbox/confiner.ts'
import type { Unconfinable } from '../../sandbox/confiner-reasons.ts'
import { locateAddon } from '../../sandbox/node-files.ts'
import { findRunnerWalls } from '../../sandbox/runner-walls.ts'
import type { EngineCounts } from '../../types/engine.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import { kernelLimitsMissing } from '../process/sandboxes.ts'
import type { RunnerAssets } from './assets.ts'
import { createRunnerPool } from './pool.ts'
import type { RunnerPool } from './pool-types.ts'
import { tryWalls } from './runner-confiner.ts'
import { createRunnerGroups, type RunnerGroups } from './runner-groups.ts'
import type { RunnerLaunch } from './runner-launch.ts'
import { createRunnerProcess, type StartedRunner } from './runner-process.ts'

/** Runners, started as each profile asks for. */
export interface RunnerSupply {
  /** Resolves once runners can be had. Rejects when what they run cannot be made. */
  open(): Promise<OpenSupply>
  /** Kills idle runners that hold `key`. */
  forget(key: string): void
  pids(): number[]
  counts(): EngineCounts
  /** Ends all of them; resolves once they are dead. */
  close(): Promise<void>
}

export interface OpenSupply {
  readonly pool: RunnerPool
  readonly realm: string
  /**
   * How a runner of the profile is started: the same object each time. Throws `SANDBOX_UNAVAILABLE` when it requires to be
   * confined and nothing can be here, `CONFIG_INVALID` when it requires limits that nobody keeps.
   */
  launchOf(profile: SandboxProfile, frozenRealm?: string): RunnerLaunch
  /** Resolves once it is known whether limits that the profile requires have been seen to fire. */
  settle(profile: SandboxProfile): Promise<void>
  /** Why a runner of the profile is not confined; undefined when it is. */
  whyOpen(profile: SandboxProfile): string | undefined
}

export interface RunnerSupplySpec {
  readonly assets: () => Promise<RunnerAssets>
  readonly maxRunners: number
  readonly spares: number
  /** A runner is retired after this many calls. */
  readonly callsPerRunner: number
  readonly loadTimeoutMs: number
  readonly defaultMemoryMb: number
  /** Where programs are looked for, as in the variable of that name. Empty: runners are not confined. */
  readonly hostPath: string
  diagnose(text: string): void
}

/** Calls that share a runner at most: as many as the isolate library has threads for everywhere. */
const DENSE_ISOLATES = 4
const NONE: EngineCounts = { started: 0, kills: 0, recycles: 0, lost: 0 }

/** Creates the supply; nothing is started or looked at before it is needed. */
export function createRunnerSupply(spec: RunnerSupplySpec): RunnerSupply {
  const groups = createRunnerGroups(spec.diagnose)
  let opened: Promise<OpenSupply> | undefined
  let pool: RunnerPool | undefined
  let closed = false
  const open = async (): Promise<OpenSupply> => {
    const [assets, found] = await Promise.all([spec.assets(), findWalls(spec)])
    const start = createStarter(spec, assets, groups)
    const confined = await tryWalls({
      found,
      start: (walls) => start(defaultLaunch(spec, walls)),
      readyTimeoutMs: spec.loadTimeoutMs,
      diagnose: spec.diagnose,
    })
    // Of what does not fire the operator is told; whoever requires it waits for that.
    void groups.check()
    const walls = confined.kind === 'walled' ? confined.walls : undefined
    const launch = defaultLaunch(spec, walls)
    const readyTimeoutMs = spec.loadTimeoutMs
    const made = createRunnerPool({ ...spec, readyTimeoutMs, launch, start })
    pool = made
    if (confined.kind === 'walled') made.adopt(confined.first, launch)
    if (closed) await made.close()
    const failure = confined.kind === 'open' ? confined.failure : undefined
    const launchOf = createLaunches(launch, failure, { diagnose: spec.diagnose, groups })
    return {
      pool: made,
      realm: assets.realm,
      launchOf,
      async settle({ kernelLimits }) {
        // One that is ended early is ended by the end of the host, which says so itself.
        if (kernelLimits === 'required') await groups.check().catch(() => undefined)
      },
      whyOpen: toWhyOpen(failure),
    }
  }
  return {
    open() {
      if (opened !== undefined) return opened
      const opening = open()
      opened = opening
      // The next load tries again.
      opening.catch(() => (opened = undefined))
      return opening
    },
    forget: (key) => pool?.forget(key),
    pids: () => pool?.pids() ?? [],
    counts: () => pool?.counts() ?? NONE,
    async close() {
      closed = true
      // Assets that could not be made have started nothing.
      await opened?.then(
        (supply) => supply.pool.close(),
        () => undefined,
      )
      await groups.close()
    },
  }
}

type Start = (launch: RunnerLaunch) => StartedRunner

function defaultLaunch(spec: RunnerSupplySpec, walls: RunnerLaunch['walls']): RunnerLaunch {
  return {
    memoryMb: spec.defaultMemoryMb,
    jit: true,
    isolates: 1,
    kernelLimits: 'preferred',
    walls,
  }
}

function findWalls({ hostPath: path }: RunnerSupplySpec): ReturnType<typeof findRunnerWalls> {
  const addon = (): string => locateAddon(createRequire(import.meta.url).resolve('isolated-vm'))
  return findRunnerWalls({ path, node: process.execPath, addon })
}

function toWhyOpen(failure: Unconfinable | undefined): OpenSupply['whyOpen'] {
  const here = failure === undefined ? undefined : `${failure.reason}; ${failure.hint}`
  return ({ confinement }) => (confinement === 'none' ? 'its profile says so' : here)
}

function createLaunches(
  base: RunnerLaunch,
  failure: Unconfinable | undefined,
  { diagnose, groups }: Pick<RunnerSupplySpec, 'diagnose'> & { readonly groups: RunnerGroups },
): OpenSupply['launchOf'] {
  let told = false
  const made = new WeakMap<SandboxProfile, RunnerLaunch>()
  const frozen = new WeakMap<SandboxProfile, RunnerLaunch>()
  return (profile, frozenRealm) => {
    const { confinement, kernelLimits = 'preferred', name } = profile
    if (failure !== undefined && confinement === 'required') throw toUnavailable(failure)
    if (failure !== undefined && confinement !== 'none' && !told) {
      told = true
      diagnose(`isolate runners are not confined: ${failure.reason}; ${failure.hint}`)
    }
    if (kernelLimits === 'required') {
      const missing = groups.missing()
      if (missing !== undefined) throw kernelLimitsMissing(name, missing)
    }
    const known = frozenRealm === undefined ? made : frozen
    let launch = known.get(profile)
    if (launch === undefined) known.set(profile, (launch = toLaunch(base, profile, frozenRealm)))
    return launch
  }
}

function toLaunch(
  base: RunnerLaunch,
  { limits, jit = true, isolation, kernelLimits = 'preferred', confinement }: SandboxProfile,
  frozenRealm: string | undefined,
): RunnerLaunch {
  return {
    ...base,
    memoryMb: limits.memoryMb,
    jit,
    isolates: isolation === 'dense' ? DENSE_ISOLATES : 1,
    kernelLimits,
    walls: confinement === 'none' ? undefined : base.walls,
    ...(frozenRealm === undefined ? {} : { frozenRealm }),
  }
}

/** Starts runners, each in a group of its own where there can be one. */
function createStarter(
  { loadTimeoutMs: prepareTimeoutMs }: RunnerSupplySpec,
  { runner: code, realm }: RunnerAssets,
  groups: RunnerGroups,
): Start {
  return (launch) =>
    createRunnerProcess({ code, realm, launch, group: groups.open(launch), prepareTimeoutMs })
}
