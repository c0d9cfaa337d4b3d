import type { Tally } from '../shared/tally.ts'
import type { LaunchList } from './launch-list.ts'
import type { PoolSpec, TakenRunner } from './pool-types.ts'
import type { Refill } from './refill.ts'
import type { Member, Roster } from './roster.ts'
import type { RunnerLaunch } from './runner-launch.ts'
import type { WaitingLine } from './waiting-line.ts'

/** What a pool of runners knows. */
export interface Pool {
  readonly spec: PoolSpec
  readonly roster: Roster
  readonly line: WaitingLine<TakenRunner>
  readonly refill: Refill
  readonly tally: Tally
  readonly launches: LaunchList
  closed: boolean
}

/** How many runners there may be in all. */
export function mostOf({ spec, launches }: Pool): number {
  return 2 * spec.maxRunners + spec.spares * launches.list().length
}

/** A member to lend now, to one that waits behind `ahead` others for the same bundle. */
export function findFor(
  pool: Pool,
  { key, launch }: { readonly key: string; readonly launch: RunnerLaunch },
  ahead: number,
): Member | undefined {
  const member = pool.roster.find(key, pool.launches.keyOf(launch))
  return member?.state === 'blank' && isPromised(pool, key, ahead) ? undefined : member
}

/**
 * Whether a runner that holds `key` is about to be free for one behind `ahead` others. Where there are
 * as many as may stay, another one would cost one of them its place.
 */
export function isPromised({ roster, spec }: Pool, key: string, ahead: number): boolean {
  return roster.count('idle', 'busy') >= spec.maxRunners && roster.countLeaving(key) > ahead
}
