import type { EngineCounts } from '../../types/engine.ts'
import { createTally, type Tally } from '../shared/tally.ts'
import { createRefill, type Refill } from './refill.ts'
import { createRoster, type Member, type Roster } from './roster.ts'
import { createRunnerProcess, type RunnerProcess } from './runner-process.ts'
import { createWaitingLine, type WaitingLine } from './waiting-line.ts'

/** A runner to work with; `opened` tells whether it already holds the bundle asked for. */
export interface TakenRunner {
  readonly runner: RunnerProcess
  readonly opened: boolean
}

/** Runner processes: warm spares, runners that hold a bundle, and nothing shared between bundles. */
export interface RunnerPool {
  /** A booted runner for `key`. Rejects with `ENGINE_UNAVAILABLE`. */
  take(key: string, memoryMb: number, signal?: AbortSignal): Promise<TakenRunner>
  /** Gives a healthy runner back, still holding `key`. */
  giveBack(runner: RunnerProcess, key: string): void
  /** Kills a runner and resolves once it is dead; a spare takes its place. */
  discard(runner: RunnerProcess): Promise<void>
  /** Kills idle runners that hold `key`. */
  forget(key: string): void
  /** Boots the spares now instead of at the first call. */
  warm(): void
  pids(): number[]
  counts(): EngineCounts
  close(): Promise<void>
}

export interface PoolSpec {
  readonly code: string
  readonly maxRunners: number
  readonly spares: number
  readonly spareMemoryMb: number
  /** A runner is retired after this many calls. */
  readonly callsPerRunner: number
  /** What booting a runner, or preparing a context in it, may take. */
  readonly readyTimeoutMs: number
}

interface Pool {
  readonly spec: PoolSpec
  readonly roster: Roster
  readonly line: WaitingLine<TakenRunner>
  readonly refill: Refill
  readonly tally: Tally
  closed: boolean
}

const MB = 1024 * 1024
/** A runner that keeps more than this plus twice its limit after a call is replaced. */
const RESIDENT_MB = 120
/** Calls between two looks at what a runner keeps. */
const WEIGHED_EVERY = 16

/**
 * Creates the pool; nothing is spawned until `warm()` or the first `take()`. It never holds more than
 * twice `maxRunners` and the spares: as many bodies as there are slots, and as many projections.
 */
export function createRunnerPool(spec: PoolSpec): RunnerPool {
  const pool: Pool = {
    spec,
    roster: createRoster(),
    line: createWaitingLine<TakenRunner>(spec.readyTimeoutMs),
    refill: createRefill(() => fillUp(pool)),
    tally: createTally(),
    closed: false,
  }
  const { roster, line, refill } = pool
  return {
    async take(key, memoryMb, signal) {
      const member = roster.find(key, memoryMb)
      if (member !== undefined) return lend(pool, member, key)
      const waited = line.join({ key, memoryMb, signal })
      serve(pool)
      return waited
    },
    giveBack: (runner, key) => putBack(pool, runner, key),
    async discard(runner) {
      end(roster.of(runner), 'it is not fit for another call')
      await runner.dead
    },
    forget(key) {
      for (const member of roster.list()) {
        if (member.state === 'idle' && member.key === key) end(member, 'its bundle was unloaded')
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
      for (const member of members) end(member, 'the host is closed')
      await Promise.all(members.map(({ runner }) => runner.dead))
    },
  }
}

function spawn(pool: Pool, memoryMb: number): void {
  const { roster, line, refill, tally } = pool
  tally.started()
  const { code, readyTimeoutMs } = pool.spec
  const runner = createRunnerProcess({ code, memoryMb, prepareTimeoutMs: readyTimeoutMs })
  const member: Member = { runner, memoryMb, state: 'booting', calls: 0 }
  roster.add(member)
  const timer = setTimeout(() => runner.kill('spawn', 'not ready in time'), readyTimeoutMs)
  const booted = (): void => {
    clearTimeout(timer)
    if (member.state === 'booting') member.state = 'blank'
    refill.succeeded()
    serve(pool)
  }
  void runner.ready.then(booted, () => {
    clearTimeout(timer)
    line.waiters.find((waiter) => waiter.memoryMb === memoryMb)?.failed()
  })
  void runner.dead.then(({ cause, detail }) => {
    roster.remove(runner)
    if (pool.closed) return
    // The first cause of a death stands: a runner that was killed is discarded only afterwards.
    if (cause === 'killed' && detail === member.endedFor) tally.recycled()
    else if (member.state !== 'booting') tally.killed()
    refill.request(member.state === 'booting')
    serve(pool)
  })
}

/** Gives those who wait what there is, and starts what there is not. */
function serve(pool: Pool): void {
  const { roster, line, spec } = pool
  if (line.waiters.length === 0) return
  for (const waiter of [...line.waiters]) {
    const member = roster.find(waiter.key, waiter.memoryMb)
    if (member !== undefined) waiter.give(lend(pool, member, waiter.key))
  }
  const coming = new Map<number, number>()
  for (const { state, memoryMb } of roster.list()) {
    if (state === 'booting') coming.set(memoryMb, (coming.get(memoryMb) ?? 0) + 1)
  }
  for (const { memoryMb } of line.waiters) {
    const left = coming.get(memoryMb) ?? 0
    coming.set(memoryMb, left - 1)
    if (left > 0) continue
    if (roster.size < mostOf(spec)) spawn(pool, memoryMb)
    else end(roster.oldestIdle(), 'another bundle needs its place')
  }
}

function lend(pool: Pool, member: Member, key: string): TakenRunner {
  const opened = member.state === 'idle'
  member.state = 'busy'
  member.key = key
  if (!opened) {
    trim(pool)
    pool.refill.request(false)
  }
  return { runner: member.runner, opened }
}

function putBack(pool: Pool, runner: RunnerProcess, key: string): void {
  runner.finish()
  const member = pool.roster.of(runner)
  if (member === undefined) return
  member.calls += 1
  const heavy = member.calls % WEIGHED_EVERY === 0 && isHeavy(member)
  const tired = heavy || member.calls >= pool.spec.callsPerRunner
  if (pool.closed || tired || runner.isDead) return end(member, 'it has served its time')
  pool.roster.rest(member, key)
  serve(pool)
  trim(pool)
}

// Idle runners give way to busy ones, the one unused for longest first; spares do not.
function trim({ roster, spec }: Pool): void {
  let excess = roster.count('idle', 'busy') - spec.maxRunners
  for (; excess > 0; excess -= 1) end(roster.oldestIdle(), 'others are used more')
}

function fillUp(pool: Pool): void {
  const { roster, line, spec } = pool
  const isSpare = ({ memoryMb }: { readonly memoryMb: number }): boolean =>
    memoryMb === spec.spareMemoryMb
  const spares = roster
    .list()
    .filter((member) => isSpare(member) && (member.state === 'blank' || member.state === 'booting'))
  const missing = spec.spares - spares.length + line.waiters.filter(isSpare).length
  for (let made = 0; made < missing && roster.size < mostOf(spec) && !pool.closed; made += 1) {
    spawn(pool, spec.spareMemoryMb)
  }
}

function mostOf({ maxRunners, spares }: PoolSpec): number {
  return 2 * maxRunners + spares
}

function end(member: Member | undefined, why: string): void {
  if (member === undefined) return
  member.state = 'ending'
  member.endedFor ??= why
  member.runner.kill('killed', why)
}

function isHeavy({ runner, memoryMb }: Member): boolean {
  return runner.residentBytes() > (RESIDENT_MB + 2 * memoryMb) * MB
}
