import type { RunnerProcess } from './runner-process.ts'

/** A runner of a pool and what it is doing. */
export interface Member {
  readonly runner: RunnerProcess
  readonly memoryMb: number
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
  /** An idle member that holds `key`, else a blank one of `memoryMb`. */
  find(key: string, memoryMb: number): Member | undefined
  /** Puts a member to rest, as the one used last. */
  rest(member: Member, key: string): void
  /** The idle member unused for longest. */
  oldestIdle(): Member | undefined
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
    find(key, memoryMb) {
      let found: Member | undefined
      for (const member of members.values()) {
        if (member.runner.isDead) continue
        // The last of them is the one used last: its caches are the warmest.
        if (member.state === 'idle' && member.key === key) found = member
        if (member.state === 'blank' && member.memoryMb === memoryMb) found ??= member
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
  }
}
