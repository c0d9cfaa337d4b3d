import type { EngineCounts, Lane, ToolBody } from '../../types/engine.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type { BundledSource, KeptState, LoadedSource } from '../../types/source.ts'
import { toKnownSchemas } from '../../../workers/shared/known-schemas.ts'
import { runBody, runProjection } from '../shared/run.ts'
import { describeInRunner, type Description } from './describe.ts'
import { createDomain, type Domain } from './domain.ts'
import { findFrozenFault } from './frozen-probe.ts'
import { createLeases, type Leases } from './leases.ts'
import { createRunnerSupply, type RunnerSupplySpec } from './runner-supply.ts'
import { createSticky, type Sticky } from './sticky.ts'

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

export interface IsolateEngineSpec extends RunnerSupplySpec {
  /** The realm of the frozen state; made when a profile first asks for it. */
  readonly frozenRealm: () => Promise<string>
}

/** Creates the engine; runners start with the first load or call. */
export function createIsolateEngine(spec: IsolateEngineSpec): IsolateEngine {
  const { maxRunners, loadTimeoutMs, diagnose } = spec
  const supply = createRunnerSupply(spec)
  const loads = countLoads()
  let frozenRealm: Promise<string> | undefined
  const leases = createLeases({
    supply,
    maxRunners,
    loadTimeoutMs,
    frozenRealm: () => (frozenRealm ??= spec.frozenRealm()),
    isLoaded: ({ key }) => loads.has(key.split('/', 1)[0] ?? key),
  })
  const lane: Lane = { name: 'isolate', slots: maxRunners }
  const add = ({ key }: Domain): (() => void) => loads.add(key, () => supply.forget(key))
  const describe = async (domain: Domain): Promise<Description> => {
    const described = await describeInRunner(await leases.leaseAside(domain), loadTimeoutMs)
    domain.schemas = toKnownSchemas(described.manifests)
    return described
  }
  /** Puts what is held into the state the profile asks for, or says why it stays as it is. */
  const enterState = async (held: Held, described: Description): Promise<KeptState | undefined> => {
    const { source, profile } = held.plain
    const name = profile.state ?? 'fresh'
    if (name === 'fresh') return undefined
    const domain = createDomain(source, profile, name)
    domain.schemas = held.plain.schemas
    const unload = add(domain)
    held.unload.push(unload)
    if (name === 'sticky') {
      held.domain = domain
      held.sticky = createSticky({ domain, leases, forget: supply.forget, diagnose })
      held.unload.push(held.sticky.dispose)
      return { name }
    }
    const seat = await leases.leaseAside(domain)
    const reason = await findFrozenFault(described, seat, loadTimeoutMs)
    if (reason === undefined) {
      held.domain = domain
      held.unload[0]?.()
      return { name }
    }
    unload()
    diagnose(`${source.source}: its calls are not frozen but fresh: ${reason}`)
    return { name: 'fresh', reason }
  }
  return {
    lane,
    async load(source, profile) {
      const plain = createDomain(source, profile, 'fresh')
      const held: Held = { plain, domain: plain, sticky: undefined, unload: [add(plain)] }
      const unload = (): void => held.unload.forEach((undo) => undo())
      try {
        const { settle, whyOpen } = await supply.open()
        await settle(profile)
        const described = await describe(plain)
        const state = await enterState(held, described)
        const { format, manifests } = described
        const unconfined = whyOpen(profile)
        return {
          format,
          manifests,
          ...(state === undefined ? {} : { state }),
          ...(unconfined === undefined ? {} : { unconfined }),
          body: (tool) => createBody(held, { leases, lane }, tool),
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
      leases.close()
      await supply.close()
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

/** A loaded source. */
interface Held {
  readonly plain: Domain
  /** Whose runners serve its calls. */
  domain: Domain
  sticky: Sticky | undefined
  readonly unload: (() => void)[]
}

function createBody(
  { plain, domain, sticky }: Held,
  { leases, lane }: { readonly leases: Leases; readonly lane: Lane },
  tool: string,
): ToolBody {
  // Projections are pure: they need nothing of what the calls of an agent hold.
  const aside = domain.state === 'sticky' ? plain : domain
  const spec = {
    tool,
    limits: domain.limits,
    lease: async (signal: AbortSignal) => (await leases.lease(domain, signal)).seat,
    leaseAside: () => leases.leaseAside(aside),
  }
  return {
    engine: 'isolate',
    lane,
    run: (job) =>
      sticky === undefined
        ? runBody(spec, job)
        : runBody({ ...spec, lease: (signal) => sticky.lease(job, signal) }, job),
    project: (job) => runProjection(spec, job),
  }
}
