import { createHash } from 'node:crypto'
import { CaissonError } from '../../errors/caisson-error.ts'
import type { EngineCounts, Lane, ToolBody } from '../../types/engine.ts'
import type { BundledSource, LoadedSource } from '../../types/source.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type { HostMessage, RealmLimits } from '../../../workers/isolate/protocol.ts'
import { createGate } from '../shared/gate.ts'
import { ENVELOPE_BYTES, toRealmLimits } from '../shared/request.ts'
import { describeInRunner } from './describe.ts'
import { runBody, runProjection } from '../shared/run.ts'
import { createRunnerSupply, type RunnerSupplySpec } from './runner-supply.ts'
import { createRunnerSeat, type RunnerSeat, type StandInTurn } from './seat.ts'
import { createStandIns, type StandInEnv, type StandIns } from './stand-ins.ts'

/** Runs community tools in V8 isolates inside supervised runner processes. */
export interface IsolateEngine {
  readonly lane: Lane
  /** Runs module top level and registration in the sandbox; the manifests are unchecked. */
  load(source: BundledSource, profile: SandboxProfile): Promise<LoadedSource>
  warm(): void
  pids(): number[]
  counts(): EngineCounts
  close(): Promise<void>
}

export type IsolateEngineSpec = RunnerSupplySpec

/** Everything that identifies and bounds one trust domain: (bundle, profile). */
interface Domain {
  readonly key: string
  readonly source: BundledSource
  readonly profile: SandboxProfile
  readonly limits: RealmLimits
  /** Undefined for a profile without secrets. */
  readonly standIns: StandIns | undefined
}

/** Creates the engine; runners start with the first load or call. */
export function createIsolateEngine(spec: IsolateEngineSpec): IsolateEngine {
  const supply = createRunnerSupply(spec)
  let closing = false
  const loads = countLoads()
  const lease = async (domain: Domain, signal?: AbortSignal): Promise<RunnerSeat> => {
    const { pool, realm, launchOf } = await supply.open()
    if (closing) throw new CaissonError('HOST_CLOSED', 'the host is closed')
    const { key, profile } = domain
    const { runner, opened } = await pool.take(key, launchOf(profile), signal)
    const { standIns, limits: realmLimits } = domain
    if (!opened) runner.send(openMessage(domain, realm, standIns?.begin(runner)))
    const limits = {
      frameBytes: Math.max(profile.limits.outputBytes, realmLimits.requestBytes) + ENVELOPE_BYTES,
      cpuMs: profile.limits.cpuMs,
      prepareTimeoutMs: spec.loadTimeoutMs,
      standIns: standIns === undefined ? undefined : () => toTurn(domain, standIns.turn(runner)),
    }
    return createRunnerSeat(runner, limits, {
      giveBack: () => (loads.has(key) ? pool.giveBack(runner, key) : void pool.discard(runner)),
      discard: () => pool.discard(runner),
    })
  }
  // Describing and projecting need a runner but no slot; they wait for one another instead.
  const aside = createGate(spec.maxRunners)
  const leaseAside = async (domain: Domain): Promise<RunnerSeat> => {
    const leave = await aside.enter()
    try {
      return leaveWith(await lease(domain), leave)
    } catch (error) {
      leave()
      throw error
    }
  }
  const lane: Lane = { name: 'isolate', slots: spec.maxRunners }
  return {
    lane,
    async load(source, profile) {
      const domain = createDomain(source, profile)
      const unload = loads.add(domain.key, () => supply.forget(domain.key))
      try {
        const described = await describeInRunner(await leaseAside(domain), spec.loadTimeoutMs)
        return {
          ...described,
          body: (tool) => createBody(domain, tool, { lease, leaseAside }, lane),
          dispose: async () => unload(),
        }
      } catch (error) {
        unload()
        throw error
      }
    },
    // What cannot be started is said by the first load that needs it.
    warm: () =>
      void supply.open().then(
        ({ pool }) => pool.warm(),
        () => undefined,
      ),
    pids: supply.pids,
    counts: supply.counts,
    async close() {
      closing = true
      await supply.close()
    },
  }
}

function leaveWith(seat: RunnerSeat, leave: () => void): RunnerSeat {
  const { runner, converse, kill } = seat
  return {
    runner,
    cpuMs: () => runner.cpuMs?.(),
    converse,
    kill,
    get isDead() {
      return seat.isDead
    },
    giveBack() {
      leave()
      seat.giveBack()
    },
    discard() {
      leave()
      return seat.discard()
    },
  }
}

/** How often each key is loaded: nothing of a source stays once its last load is disposed of. */
function countLoads(): {
  has(key: string): boolean
  add(key: string, last: () => void): () => void
} {
  const counts = new Map<string, number>()
  return {
    has: (key) => counts.has(key),
    add(key, last) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      let open = true
      return () => {
        if (!open) return
        open = false
        const left = (counts.get(key) ?? 1) - 1
        if (left > 0) return void counts.set(key, left)
        counts.delete(key)
        last()
      }
    },
  }
}

function createDomain(source: BundledSource, profile: SandboxProfile): Domain {
  const variables = Object.keys(profile.secrets)
  const hash = createHash('sha256')
    .update(source.code)
    .update(JSON.stringify(source.config ?? null))
  return {
    key: `${hash.update(JSON.stringify(profile)).digest('hex')}`,
    source,
    profile,
    limits: toRealmLimits(profile),
    standIns: variables.length === 0 ? undefined : createStandIns(variables),
  }
}

function toTurn({ profile }: Domain, { now, next }: ReturnType<StandIns['turn']>): StandInTurn {
  return { now, env: { ...profile.env, ...next } }
}

function openMessage(domain: Domain, realm: string, standIns: StandInEnv | undefined): HostMessage {
  return {
    t: 'open',
    realm,
    bundle: `__caisson_define(${domain.source.code}\n);0`,
    memoryMb: domain.profile.limits.memoryMb,
    boot: {
      source: domain.source.source,
      env: { ...domain.profile.env, ...standIns },
      ...(domain.source.config === undefined ? {} : { config: domain.source.config }),
    },
  }
}

function createBody(
  domain: Domain,
  tool: string,
  leases: Record<
    'lease' | 'leaseAside',
    (domain: Domain, signal?: AbortSignal) => Promise<RunnerSeat>
  >,
  lane: Lane,
): ToolBody {
  const spec = {
    tool,
    limits: domain.limits,
    lease: (signal: AbortSignal) => leases.lease(domain, signal),
    leaseAside: () => leases.leaseAside(domain),
  }
  return {
    engine: 'isolate',
    lane,
    run: (job) => runBody(spec, job),
    project: (job) => runProjection(spec, job),
  }
}
