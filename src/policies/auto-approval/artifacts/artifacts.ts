import type { Clock } from '../../../approval/clock.ts'
import type { FileView } from '../assessor-types.ts'
import type { FileIdentity, PlannedCreate } from '../types.ts'

/** Which files the calls of a root session made, known by identity and not by name. */
export interface Artifacts {
  /** Notes what a call is expected to make. */
  plan(token: symbol, creates: readonly PlannedCreate[]): void
  /** The call is over; what exists of its plan is registered when it went well. Returns how many. */
  settle(token: symbol, root: string | undefined, wentWell: boolean): number
  isOwn(root: string, identity: FileIdentity): boolean
  drop(root: string): void
  /** Plans that no result has settled yet. */
  readonly pending: number
}

const MAX_PLANS = 512
const PLAN_MS = 10 * 60_000
const MAX_ENTRIES = 4_096
/** File systems stamp with a clock that may be a tick behind. */
const TICK_MS = 20

interface Plan {
  readonly at: number
  /** Milliseconds since 1970. */
  readonly madeAt: number
  readonly creates: readonly PlannedCreate[]
}

/** Creates an empty registry; memory only. */
export function createArtifacts(files: Pick<FileView, 'lstat'>, clock: Clock): Artifacts {
  const plans = new Map<symbol, Plan>()
  const owned = new Map<string, Set<string>>()
  const prune = (): void => {
    for (const [token, { at }] of plans) {
      if (plans.size <= MAX_PLANS && clock.now() - at <= PLAN_MS) return
      plans.delete(token)
    }
  }
  const register = (root: string, path: string, since: number): boolean => {
    const key = identityAt(files, path, since)
    const entries = owned.get(root) ?? new Set<string>()
    if (key === undefined || entries.size >= MAX_ENTRIES) return false
    owned.set(root, entries.add(key))
    return true
  }
  return {
    get pending() {
      return plans.size
    },
    plan(token, creates) {
      if (creates.length === 0) return
      plans.set(token, { at: clock.now(), madeAt: clock.wall(), creates })
      prune()
    },
    settle(token, root, wentWell) {
      prune()
      const plan = plans.get(token)
      plans.delete(token)
      if (plan === undefined || root === undefined || !wentWell) return 0
      return plan.creates.filter(({ path }) => register(root, path, plan.madeAt)).length
    },
    isOwn(root, identity) {
      const key = toKey(identity)
      return key !== undefined && owned.get(root)?.has(key) === true
    },
    drop: (root) => void owned.delete(root),
  }
}

// Without a time of birth a number that the file system gives out again would pass for ours.
function toKey({ device, inode, birth }: FileIdentity): string | undefined {
  return birth === undefined ? undefined : `${device}:${inode}:${birth}`
}

function identityAt(
  files: Pick<FileView, 'lstat'>,
  path: string,
  since: number,
): string | undefined {
  try {
    const facts = files.lstat(path)
    if (facts === undefined || facts.kind === 'link') return undefined
    // What is older than the plan was moved there, not made.
    const { birth } = facts.identity
    const isNew = birth !== undefined && Number(birth) / 1_000_000 >= since - TICK_MS
    return isNew ? toKey(facts.identity) : undefined
  } catch {
    return undefined // What cannot be looked at is not ours.
  }
}
