import { launchKey, type RunnerLaunch } from './runner-launch.ts'
import type { RunnerProcess, StartedRunner } from './runner-process.ts'

/** A runner of a pool and what it is doing. */
export interface Member {
  readonly runner: StartedRunner
  readonly launch: RunnerLaunch
  /** Key of its launch. */
  readonly kind: string
  state: 'booting' | 'blank' | 'busy' | 'idle' | 'ending'
  /** The bundle it holds; absent for one that has not been used. */
  key?: string
  /** Its slots that nobody has; all of them while it is blank. */
  readonly free: RunnerProcess[]
  readonly lent: Set<RunnerProcess>
  /** Those of the lent whose request has settled. */
  readonly leaving: Set<RunnerProcess>
  /** Slots that hold the bundle. */
  readonly opened: Set<RunnerProcess>
  /** Nobody else is let in: it ends with the last of those that are. */
  isClosing: boolean
  /** Calls it has served. */
  calls: number
  /** Why its pool ended it; absent for one that was killed under a call or died. */
  endedFor?: string
}

/** The runners of a pool, the one used last at the end. */
export interface Roster {
  readonly size: number
  add(member: Member): void
  remove(member: Member): void
  /** Whose slot it is. */
  of(slot: RunnerProcess): Member | undefined
  list(): Member[]
  count(...states: readonly Member['state'][]): number
  /** A member that holds `key` and has a slot free, else a blank one whose launch is `kind`. */
  find(key: string, kind: string): Member | undefined
  /** How many slots that hold `key` are about to be free. */
  countLeaving(key: string): number
  /** Puts a member to rest, as the one used last. */
  rest(member: Member, key: string): void
  /** The idle member unused for longest. */
  oldestIdle(): Member | undefined
  /** A spare that whoever needs `kind` has no use for. */
  blankOtherThan(kind: string): Member | undefined
}

/** The entry of a runner that is on its way. */
export function createMember(runner: StartedRunner, launch: RunnerLaunch): Member {
  return {
    runner,
    launch,
    kind: launchKey(launch),
    state: 'booting',
    free: [...runner.slots],
    lent: new Set(),
    leaving: new Set(),
    opened: new Set(),
    isClosing: false,
    calls: 0,
  }
}

/** Creates an empty roster. */
export function createRoster(): Roster {
  const members = new Set<Member>()
  const owners = new Map<RunnerProcess, Member>()
  return {
    get size() {
      return members.size
    },
    add(member) {
      members.add(member)
      for (const slot of member.free) owners.set(slot, member)
    },
    remove(member) {
      members.delete(member)
      for (const slot of member.runner.slots) owners.delete(slot)
    },
    of: (slot) => owners.get(slot),
    list: () => [...members],
    count(...states) {
      let found = 0
      for (const { state } of members) if (states.includes(state)) found += 1
      return found
    },
    find(key, kind) {
      let found: Member | undefined
      for (const member of members) {
        if (member.runner.isDead) continue
        // The last of them is the one used last: its caches are the warmest.
        if (hasRoom(member) && member.key === key) found = member
        if (member.state === 'blank' && member.kind === kind) found ??= member
      }
      return found
    },
    countLeaving(key) {
      let found = 0
      for (const member of members) {
        if (member.key === key && isOpen(member)) found += member.leaving.size
      }
      return found
    },
    rest(member, key) {
      member.state = 'idle'
      member.key = key
      members.delete(member)
      members.add(member)
    },
    oldestIdle() {
      for (const member of members) if (member.state === 'idle') return member
      return undefined
    },
    blankOtherThan: (kind) =>
      [...members].find((member) => member.state === 'blank' && member.kind !== kind),
  }
}

function hasRoom(member: Member): boolean {
  return isOpen(member) && member.free.length > 0
}

function isOpen({ state, isClosing }: Member): boolean {
  return (state === 'idle' || state === 'busy') && !isClosing
}
