import { isConfirmed } from '../shared/confirm.ts'
import { createTally } from '../shared/tally.ts'
import type { PoolSpec, RunnerPool, TakenRunner } from './pool-types.ts'
import { findFor, isPromised, mostOf, type Pool } from './pool-state.ts'
import { createRefill } from './refill.ts'
import { createMember, createRoster, type Member } from './roster.ts'
import { createLaunchList } from './launch-list.ts'
import type { RunnerLaunch } from './runner-launch.ts'
import type { RunnerProcess, StartedRunner } from './runner-process.ts'
import { createWaitingLine } from './waiting-line.ts'

const MB = 1024 * 1024
/** A runner that keeps more than this plus twice its limit after a call is replaced. */
const RESIDENT_MB = 120
/** Calls between two looks at what a runner keeps. */
const WEIGHED_EVERY = 16
const MANY_CALLS = 1_000
const FROZEN_LASTS = 20

/**
 * Creates the pool; nothing is spawned until `warm()` or the first `take()`. It never holds more than
 * twice `maxRunners` and the spares of the launches in use: as many bodies as there are slots, and as
 * many projections.
 */
export function createRunnerPool(spec: PoolSpec): RunnerPool {
  const pool: Pool = {
    spec,
    roster: createRoster(),
    line: createWaitingLine<TakenRunner>(spec.readyTimeoutMs),
    refill: createRefill(() => fillUp(pool)),
    tally: createTally(),
    launches: createLaunchList(spec.launch),
    closed: false,
  }
  const { roster, line, refill } = pool
  return {
    async take(key, launch, signal) {
      for (const left of pool.launches.use(launch)) endBlank(pool, left)
      const member = findFor(pool, { key, launch }, 0)
      if (member !== undefined) return lend(pool, member, key)
      const waited = line.join({ key, launch, signal })
      serve(pool)
      return waited
    },
    adopt(runner, launch) {
      pool.tally.started()
      if (pool.closed) runner.kill('killed', 'the host is closed')
      watch(pool, runner, launch).state = 'blank'
      serve(pool)
    },
    leaving: (slot) => void roster.of(slot)?.leaving.add(slot),
    giveBack: (runner, key) => putBack(pool, runner, key),
    async discard(slot) {
      const why = 'it is not fit for another call'
      const member = roster.of(slot)
      member?.leaving.delete(slot)
      if (member !== undefined && member.runner.slots.length > 1) {
        slot.kill('killed', why)
        close(pool, member, slot, why)
      } else end(pool, member, why)
      serve(pool)
      await slot.dead
    },
    forget(key) {
      for (const member of roster.list()) {
        if (member.state === 'idle' && member.key === key)
          end(pool, member, 'its bundle was unloaded')
      }
    },
    warm: () => refill.request(false),
    pids: () => roster.list().flatMap(({ runner: { pid } }) => (pid === undefined ? [] : [pid])),
    counts: pool.tally.counts,
    async close() {
      pool.closed = true
      refill.stop()
      line.dissolve()
      const members = roster.list()
      for (const member of members) end(pool, member, 'the host is closed')
      await Promise.all(members.map(({ runner }) => isConfirmed(runner.dead)))
    },
  }
}

function spawn(pool: Pool, launch: RunnerLaunch): void {
  const { line, refill, tally, spec, launches } = pool
  tally.started()
  const startedAt = performance.now()
  const runner = spec.start(launch)
  const member = watch(pool, runner, launch)
  const timer = setTimeout(() => runner.kill('spawn', 'not ready in time'), spec.readyTimeoutMs)
  const booted = (): void => {
    clearTimeout(timer)
    if (member.state === 'booting') member.state = 'blank'
    refill.succeeded()
    serve(pool)
  }
  void runner.ready.then(booted, () => {
    clearTimeout(timer)
    line.waiters.find((waiter) => launches.keyOf(waiter.launch) === member.kind)?.failed(startedAt)
  })
}

function watch(pool: Pool, runner: StartedRunner, launch: RunnerLaunch): Member {
  const { roster, refill, tally } = pool
  const member = createMember(runner, launch)
  roster.add(member)
  void runner.dead.then(({ cause, detail }) => {
    roster.remove(member)
    if (pool.closed) return
    // The first cause of a death stands: a runner that was killed is discarded only afterwards.
    if (cause === 'killed' && detail === member.endedFor) tally.recycled()
    else if (member.state !== 'booting') tally.killed()
    refill.request(member.state === 'booting')
    serve(pool)
  })
  return member
}

/** Gives those who wait what there is, and starts what there is not. */
function serve(pool: Pool): void {
  const { roster, line } = pool
  if (line.waiters.length === 0) return
  const left = new Map<string, number>()
  for (const waiter of [...line.waiters]) {
    const { key } = waiter
    const ahead = left.get(key) ?? 0
    const member = findFor(pool, waiter, ahead)
    if (member !== undefined) waiter.give(lend(pool, member, key))
    else left.set(key, ahead + 1)
  }
  const coming = new Map<string, number>()
  for (const { state, kind } of roster.list()) {
    if (state === 'booting') coming.set(kind, (coming.get(kind) ?? 0) + 1)
  }
  const promised = new Map<string, number>()
  for (const { launch, key } of line.waiters) {
    const ahead = promised.get(key) ?? 0
    promised.set(key, ahead + 1)
    if (isPromised(pool, key, ahead)) continue
    const kind = pool.launches.keyOf(launch)
    const left = coming.get(kind) ?? 0
    coming.set(kind, left - 1)
    if (left > 0) continue
    if (roster.size < mostOf(pool)) spawn(pool, launch)
    else
      end(
        pool,
        roster.oldestIdle() ?? roster.blankOtherThan(kind),
        'another bundle needs its place',
      )
  }
}

function lend(pool: Pool, member: Member, key: string): TakenRunner {
  const slot = member.free.pop()
  if (slot === undefined) throw new Error('a runner without a free slot was found')
  const isNew = member.state === 'blank'
  const opened = member.opened.has(slot)
  member.opened.add(slot)
  member.lent.add(slot)
  member.state = 'busy'
  member.key = key
  if (isNew) {
    trim(pool)
    pool.refill.request(false)
  }
  return { runner: slot, opened }
}

function putBack(pool: Pool, slot: RunnerProcess, key: string): void {
  slot.finish()
  const member = pool.roster.of(slot)
  if (member === undefined) return
  member.calls += 1
  const heavy = member.calls % WEIGHED_EVERY === 0 && isHeavy(member)
  const tired = heavy || member.calls >= mostCalls(pool.spec, member.launch)
  if (pool.closed || tired || member.isClosing || slot.isDead) {
    return close(pool, member, slot, 'it has served its time')
  }
  member.lent.delete(slot)
  member.leaving.delete(slot)
  member.free.push(slot)
  if (member.lent.size === 0) pool.roster.rest(member, key)
  serve(pool)
  trim(pool)
}

// Contexts leave something behind; a frozen one is not made anew. Few calls are somebody's wish.
function mostCalls({ callsPerRunner }: PoolSpec, { frozenRealm }: RunnerLaunch): number {
  const lasts = frozenRealm !== undefined && callsPerRunner >= MANY_CALLS
  return lasts ? FROZEN_LASTS * callsPerRunner : callsPerRunner
}

/** Lets nobody else in, and ends it once nobody is in it. */
function close(pool: Pool, member: Member, slot: RunnerProcess, why: string): void {
  member.isClosing = true
  member.lent.delete(slot)
  if (member.lent.size === 0) end(pool, member, why)
}

// Idle runners give way to busy ones, the one unused for longest first; spares do not.
function trim(pool: Pool): void {
  const { roster, spec } = pool
  let excess = roster.count('idle', 'busy') - spec.maxRunners
  for (; excess > 0; excess -= 1) end(pool, roster.oldestIdle(), 'others are used more')
}

function fillUp(pool: Pool): void {
  const { roster, line, spec, launches } = pool
  for (const launch of launches.list()) {
    const kind = launches.keyOf(launch)
    const spares = roster
      .list()
      .filter((one) => one.kind === kind && (one.state === 'blank' || one.state === 'booting'))
    const waiting = line.waiters.filter((waiter) => launches.keyOf(waiter.launch) === kind)
    const missing = spec.spares - spares.length + waiting.length
    for (let made = 0; made < missing && roster.size < mostOf(pool) && !pool.closed; made += 1) {
      spawn(pool, launch)
    }
  }
}

function endBlank(pool: Pool, kind: string): void {
  for (const member of pool.roster.list()) {
    if (member.state === 'blank' && member.kind === kind)
      end(pool, member, 'its launch is not used')
  }
}

function end(pool: Pool, member: Member | undefined, why: string): void {
  if (member === undefined || member.state === 'ending') return
  member.state = 'ending'
  member.endedFor ??= why
  const { runner } = member
  runner.kill('killed', why)
  void isConfirmed(runner.dead).then((seen) => seen || writeOff(pool, member))
}

// What the kernel does not end takes nobody's place any more.
function writeOff(pool: Pool, member: Member): void {
  pool.roster.remove(member)
  pool.tally.lost()
  if (pool.closed) return
  pool.refill.request(false)
  serve(pool)
}

function isHeavy({ runner, launch: { memoryMb, isolates } }: Member): boolean {
  return runner.residentBytes() > (RESIDENT_MB + 2 * memoryMb * isolates) * MB
}
