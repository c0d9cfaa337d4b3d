import { CaissonError, isCaissonError } from '../../errors/caisson-error.ts'
import type { EngineCounts, Lane, ToolBody } from '../../types/engine.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type { BundledSource, LoadedSource } from '../../types/source.ts'
import { parseDescription } from '../shared/parse-description.ts'
import { runBody, runProjection, type RunSpec } from '../shared/run.ts'
import { createDomain, type Domain } from './domain.ts'
import { createLeases, type Leases, type LeasesSpec } from './leases.ts'
import type { ThreadSeat } from './seat.ts'

/** Runs the operator's own tools on worker threads of this process, with all of Node. */
export interface ThreadEngine {
  /** Its slots are the bodies that may run at once. */
  readonly lane: Lane
  /** Runs module top level and registration on a thread; the manifests are unchecked. */
  load(source: BundledSource, profile: SandboxProfile): Promise<LoadedSource>
  /** Boots a spare thread for tools of this heap limit. */
  warm(memoryMb: number): Promise<void>
  counts(): EngineCounts
  /** Ends every thread; resolves once they are dead, or a second has passed. */
  close(): Promise<void>
}

/** Creates the engine; threads start with the first load or call. */
export function createThreadEngine(spec: LeasesSpec): ThreadEngine {
  const leases = createLeases(spec)
  const lane: Lane = { name: 'thread', slots: spec.maxThreads }
  return {
    lane,
    async load(source, profile) {
      const domain = createDomain(source, profile, spec.loadTimeoutMs)
      const seat = await leases.leaseAside(domain)
      const described = parseDescription(seat.worker.description)
      seat.giveBack()
      return {
        ...described,
        body: (tool) => createBody(tool, { domain, lane, leases }),
        dispose: () => Promise.resolve(leases.forget(domain)),
      }
    },
    warm: leases.warm,
    counts: leases.counts,
    close: leases.close,
  }
}

function createBody(
  tool: string,
  { domain, lane, leases }: { domain: Domain; lane: Lane; leases: Leases },
): ToolBody {
  const spec: RunSpec = {
    tool,
    limits: domain.limits,
    lease(signal, again) {
      const seat = leases.lease(domain, { signal, mustRest: again })
      return seat instanceof Promise ? reopening(seat) : seat
    },
    leaseAside: (again) => reopening(leases.leaseAside(domain, { mustRest: again })),
  }
  return {
    engine: 'thread',
    lane,
    run: (job) => runBody(spec, job),
    project: (job) => runProjection(spec, job),
  }
}

// The source has been loaded before: that it fails now is no fault of its definition.
async function reopening(seat: Promise<ThreadSeat>): Promise<ThreadSeat> {
  try {
    return await seat
  } catch (error) {
    if (!isCaissonError(error) || error.code !== 'LOAD_FAILED') throw error
    const text = `the tool's source did not load again: ${error.message}`
    throw new CaissonError('ENGINE_UNAVAILABLE', text)
  }
}
