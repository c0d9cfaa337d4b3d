import type { RunnerLaunch } from './runner-launch.ts'
import type { RunnerProcess } from './runner-process.ts'

/** A runner of a pool and what it is doing. */
export interface Member {
  readonly runner: RunnerProcess
  readonly launch: RunnerLaunch
  /** Key of its launch. */
  readonly kind: string
  state: 'booting' | 'blank' | 'busy' | 'idle' | 'ending'
  /** The bundle it holds; absent for one that has not been used. */
  key?: string
  /** Calls it has served. */
  calls: number
  /** Why its pool ended it; absent for one that was killed under a call or died. */
  endedFor?: string
}

/** The runners of a pool, the one used last at the end. */
export interface Roster {
  readonly size: number
  add(member: Member): void
  remove(runner: RunnerProcess): void
  of(runner: RunnerProcess): Member | undefined
  list(): Member[]
  count(...states: readonly Member['state'][]): number
  /** An idle member that holds `key`, else a blank one whose launch is `kind`. */
  find(key: string, kind: string): Member | undefined
  /** Puts a member to rest, as the one used last. */
  rest(member: Member, key: string): void
  /** The idle member unused for longest. */
  oldestIdle(): Member | undefined
  /** A spare that whoever needs `kind` has no use for. */
  blankOtherThan(kind: string): Member | undefined
}

/** Creates an empty roster. */
export function createRoster(): Roster {
  const members = new Map<RunnerProcess, Member>()
  return {
    get size() {
      return members.size
    },
    add: (member) => void members.set(member.runner, member),
    remove: (runner) => void members.delete(runner),
    of: (runner) => members.get(runner),
    list: () => [...members.values()],
    count(...states) {
      let found = 0
      for (const { state } of members.values()) if (states.includes(state)) found += 1
      return found
    },
    find(key, kind) {
      let found: Member | undefined
      for (const member of members.values()) {
        if (member.runner.isDead) continue
        // The last of them is the one used last: its caches are the warmest.
        if (member.state === 'idle' && member.key === key) found = member
        if (member.state === 'blank' && member.kind === kind) found ??= member
      }
      return found
    },
    rest(member, key) {
      member.state = 'idle'
      member.key = key
      members.delete(member.runner)
      members.set(member.runner, member)
    },
    oldestIdle() {
      for (const member of members.values()) if (member.state === 'idle') return member
      return undefined
    },
    blankOtherThan: (kind) =>
      [...members.values()].find((member) => member.state === 'blank' && member.kind !== kind),
  }
}
