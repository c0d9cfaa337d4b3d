import { CaissonError } from '../../errors/caisson-error.ts'
import { createGate } from '../shared/gate.ts'
import { leaveWith } from '../shared/leave-with.ts'
import { ENVELOPE_BYTES } from '../shared/request.ts'
import { openMessage, toTurn, type Domain } from './domain.ts'
import type { RunnerSupply } from './runner-supply.ts'
import { createRunnerSeat, type RunnerSeat } from './seat.ts'

/** A runner held for one request, and whether it had served the domain before. */
export interface Lease {
  readonly seat: RunnerSeat
  readonly opened: boolean
}

/** Lends runners to requests. */
export interface Leases {
  /** For whoever holds a slot of the engine's lane. */
  lease(domain: Domain, signal?: AbortSignal): Promise<Lease>
  /** For describing and projecting, which hold none; they wait for one another instead. */
  leaseAside(domain: Domain): Promise<RunnerSeat>
  close(): void
}

export interface LeasesSpec {
  readonly supply: RunnerSupply
  readonly maxRunners: number
  readonly loadTimeoutMs: number
  /** The realm that contexts of the frozen state are made of. */
  frozenRealm(): Promise<string>
  /** Whether a runner of the domain is still wanted once it is free. */
  isLoaded(domain: Domain): boolean
}

/** Creates the leases of an engine. After `close` they are `HOST_CLOSED`. */
export function createLeases(spec: LeasesSpec): Leases {
  const aside = createGate(spec.maxRunners)
  let closing = false
  const lease: Leases['lease'] = async (domain, signal) => {
    const { pool, realm, launchOf } = await spec.supply.open()
    const frozenRealm = domain.state === 'frozen' ? await spec.frozenRealm() : undefined
    if (closing) throw new CaissonError('HOST_CLOSED', 'the host is closed')
    const { key, profile, standIns } = domain
    const launch = launchOf(profile, frozenRealm)
    const { runner, opened } = await pool.take(key, launch, signal)
    if (!opened) runner.send(openMessage(domain, frozenRealm ?? realm, standIns?.begin(runner)))
    const { outputBytes, cpuMs } = profile.limits
    const limits = {
      frameBytes: Math.max(outputBytes, domain.limits.requestBytes) + ENVELOPE_BYTES,
      cpuMs,
      prepareTimeoutMs: spec.loadTimeoutMs,
      standIns: standIns === undefined ? undefined : () => toTurn(domain, standIns.turn(runner)),
    }
    const seat = createRunnerSeat(runner, limits, {
      giveBack: () =>
        spec.isLoaded(domain) ? pool.giveBack(runner, key) : void pool.discard(runner),
      discard: () => pool.discard(runner),
      leaving: () => pool.leaving(runner),
    })
    return { seat, opened }
  }
  return {
    lease,
    async leaseAside(domain) {
      const leave = await aside.enter()
      try {
        return leaveWith((await lease(domain)).seat, leave)
      } catch (error) {
        leave()
        throw error
      }
    },
    close() {
      closing = true
    },
  }
}
