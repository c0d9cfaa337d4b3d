import type { EngineCounts } from '../../types/engine.ts'
import { createTally, type Tally } from '../shared/tally.ts'
import { createRefill, type Refill } from './refill.ts'
import { createRoster, type Member, type Roster } from './roster.ts'
import { createLaunchList, type LaunchList } from './launch-list.ts'
import { launchKey, type RunnerLaunch } from './runner-launch.ts'
import type { RunnerProcess } from './runner-process.ts'
import { createWaitingLine, type WaitingLine } from './waiting-line.ts'

/** A runner to work with; `opened` tells whether it already holds the bundle asked for. */
export interface TakenRunner {
  readonly runner: RunnerProcess
  readonly opened: boolean
}

/** Runner processes: warm spares, runners that hold a bundle, and nothing shared between bundles. */
export interface RunnerPool {
  /** A booted runner for `key`. Rejects with `ENGINE_UNAVAILABLE`. */
  take(key: string, launch: RunnerLaunch, signal?: AbortSignal): Promise<TakenRunner>
  /** Takes in a runner that has booted elsewhere, as a spare. */
  adopt(runner: RunnerProcess, launch: RunnerLaunch): void
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
  readonly maxRunners: number
  /** Of each launch in use. */
  readonly spares: number
  /** The launch that spares are kept of from the start. */
  readonly launch: RunnerLaunch
  /** Starts a runner. */
  start(launch: RunnerLaunch): RunnerProcess
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
  readonly launches: LaunchList
  closed: boolean
}

const MB = 1024 * 1024
/** A runner that keeps more than this plus twice its limit after a call is replaced. */
const RESIDENT_MB = 120
/** Calls between two looks at what a runner keeps. */
const WEIGHED_EVERY = 16

/**
 * Creates the pool; nothing is spawned until `warm()` or the first `take()`. It never holds more than
 * twice `maxRunners` and the spares of the launches in use: as many bodies as there are slots, and as many projections.
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
      const member = roster.find(key, launchKey(launch))
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

function spawn(pool: Pool, launch: RunnerLaunch): void {
  const { line, refill, tally, spec } = pool
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
    line.waiters.find((waiter) => launchKey(waiter.launch) === member.kind)?.failed(startedAt)
  })
}

function watch(pool: Pool, runner: RunnerProcess, launch: RunnerLaunch): Member {
  const { roster, refill, tally } = pool
  const kind = launchKey(launch)
  const member: Member = { runner, launch, kind, state: 'booting', calls: 0 }
  roster.add(member)
  void runner.dead.then(({ cause, detail }) => {
    roster.remove(runner)
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
  for (const waiter of [...line.waiters]) {
    const member = roster.find(waiter.key, launchKey(waiter.launch))
    if (member !== undefined) waiter.give(lend(pool, member, waiter.key))
  }
  const coming = new Map<string, number>()
  for (const { state, kind } of roster.list()) {
    if (state === 'booting') coming.set(kind, (coming.get(kind) ?? 0) + 1)
  }
  for (const { launch } of line.waiters) {
    const kind = launchKey(launch)
    const left = coming.get(kind) ?? 0
    coming.set(kind, left - 1)
    if (left > 0) continue
    if (roster.size < mostOf(pool)) spawn(pool, launch)
    else end(roster.oldestIdle() ?? roster.blankOtherThan(kind), 'another bundle needs its place')
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
  for (const launch of pool.launches.list()) {
    const kind = launchKey(launch)
    const spares = roster
      .list()
      .filter((one) => one.kind === kind && (one.state === 'blank' || one.state === 'booting'))
    const waiting = line.waiters.filter((waiter) => launchKey(waiter.launch) === kind)
    const missing = spec.spares - spares.length + waiting.length
    for (let made = 0; made < missing && roster.size < mostOf(pool) && !pool.closed; made += 1) {
      spawn(pool, launch)
    }
  }
}

function mostOf({ spec, launches }: Pool): number {
  return 2 * spec.maxRunners + spec.spares * launches.list().length
}

function endBlank({ roster }: Pool, kind: string): void {
  for (const member of roster.list()) {
    if (member.state === 'blank' && member.kind === kind) end(member, 'its launch is not used')
  }
}

function end(member: Member | undefined, why: string): void {
  if (member === undefined) return
  member.state = 'ending'
  member.endedFor ??= why
  member.runner.kill('killed', why)
}

function isHeavy({ runner, launch: { memoryMb, isolates } }: Member): boolean {
  return runner.residentBytes() > (RESIDENT_MB + 2 * memoryMb * isolates) * MB
}
