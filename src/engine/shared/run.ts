import { isCaissonError } from '../../errors/caisson-error.ts'
import type { BodyJob, BodyOutcome, ProjectionJob, ProjectionOutcome } from '../../types/engine.ts'
import type { Soon } from '../../types/soon.ts'
import type { RealmLimits } from '../../../workers/isolate/protocol.ts'
import { CONFIRM_MS, isConfirmed } from './confirm.ts'
import { PROJECTION_BUDGET_MS, type Conversation, type Ending, type Seat } from './conversation.ts'
import { toDeath, type UntimedDeath } from './death.ts'
import { parseOutcome, parseProjection } from './parse-event.ts'
import { toAbortReason, toExecuteRequest } from './request.ts'
import { startWorkTimer } from './work-timer.ts'

/** What running a tool's functions takes, whatever engine it is in. */
export interface RunSpec {
  readonly tool: string
  readonly limits: RealmLimits
  /**
   * A place for a body; the caller holds a slot of the engine's lane, and waits until `signal`. At
   * once where one is free. `again`: the one before was dead or declined, and this one must not.
   */
  lease(signal: AbortSignal, again: boolean): Soon<Seat>
  /** A place for a projection, which has no slot. */
  leaseAside(again: boolean): Promise<Seat>
}

const QUIET_MS = 100

/**
 * Runs one body. Resolves once the body has settled or what it ran in is dead, never earlier. A place
 * that is found dead or occupied before it entered the body costs no call: another is taken, once.
 */
export async function runBody(spec: RunSpec, job: BodyJob): Promise<BodyOutcome> {
  const begun = performance.now()
  const first = await runOnce(spec, job, false)
  if (first.kind !== 'untouched') return first
  const lostMs = performance.now() - begun
  const second = await runOnce(spec, job, true)
  const { prepareMs, ...outcome } = second.kind === 'untouched' ? second.death : second
  return { ...outcome, prepareMs: prepareMs + lostMs }
}

interface Untouched {
  readonly kind: 'untouched'
  readonly death: BodyOutcome
}

async function runOnce(
  spec: RunSpec,
  job: BodyJob,
  again: boolean,
): Promise<BodyOutcome | Untouched> {
  const entered = performance.now()
  const place = leaseUnlessAborted((signal) => spec.lease(signal, again), job.signal)
  const seat = place instanceof Promise ? await place : place
  const prepareMs = performance.now() - entered
  if ('kind' in seat) return { ...seat, prepareMs, bodyMs: 0 }
  const begun = performance.now()
  const run = seat.converse(toExecuteRequest(spec, job), job.services)
  const stop = stopOnAbort(seat, run, job)
  const ending = await run.ending
  stop.release()
  run.end()
  const entry = run.enteredAt?.() ?? begun
  const timings = {
    prepareMs: prepareMs + entry - begun,
    bodyMs: performance.now() - entry,
  }
  if (ending.by === 'settled') {
    const outcome = parseOutcome(ending.outcome, run.refusals())
    // An answer nobody healthy gives: what gave it is not asked again.
    if (outcome.kind === 'died') await isConfirmed(seat.discard())
    else void retire(seat, run)
    return { ...outcome, ...timings }
  }
  if (ending.by === 'declined') {
    seat.giveBack()
    return { kind: 'untouched', death: { ...toDeath(ending, false), ...timings } }
  }
  const dead = seat.discard()
  const confirmed = ending.by !== 'unconfirmed' && (await isConfirmed(dead))
  if (!stop.killed()) {
    const death = { ...toDeath(ending, run.started()), ...timings }
    return isUntouched(ending, run) ? { kind: 'untouched', death } : death
  }
  const unconfirmed = confirmed ? {} : ({ unconfirmed: true } as const)
  return { kind: 'stopped', started: run.started(), ...unconfirmed, ...timings }
}

function isUntouched(ending: Ending, run: Conversation): boolean {
  if (ending.by !== 'died' || run.started()) return false
  return ending.death.cause === 'exit' || ending.death.cause === 'collateral'
}

/** Runs one projection under its small budget. Never rejects. */
export async function runProjection(spec: RunSpec, job: ProjectionJob): Promise<ProjectionOutcome> {
  return (await projectOnce(spec, job, false)) ?? (await projectOnce(spec, job, true)) ?? LOST
}

const LOST: ProjectionOutcome = { kind: 'failed', message: 'its sandbox ended' }

/** Undefined when the place declined. */
async function projectOnce(
  spec: RunSpec,
  job: ProjectionJob,
  again: boolean,
): Promise<ProjectionOutcome | undefined> {
  const seat = await leaseOrDeath(spec.leaseAside(again))
  if ('kind' in seat) return { kind: 'failed', message: seat.message }
  const run = seat.converse({
    op: 'project',
    tool: spec.tool,
    kind: job.kind,
    input: job.input,
    limits: { ...spec.limits, logBytes: 0 },
  })
  const ending = await run.ending
  run.end()
  if (ending.by === 'settled') {
    void retire(seat, run)
    return parseProjection(ending.outcome)
  }
  if (ending.by === 'declined') {
    seat.giveBack()
    return undefined
  }
  await isConfirmed(seat.discard())
  if (ending.by !== 'overran') return LOST
  return { kind: 'failed', message: `it took more than ${PROJECTION_BUDGET_MS} ms` }
}

type Unstarted = UntimedDeath | { readonly kind: 'stopped'; readonly started: false }

async function leaseOrDeath(leased: Promise<Seat>): Promise<Seat | UntimedDeath> {
  try {
    return await leased
  } catch (error) {
    const started = false
    if (isCaissonError(error)) {
      return { kind: 'died', code: error.code, message: error.message, started, facts: {} }
    }
    const message = "the tool's sandbox did not start"
    return { kind: 'died', code: 'ENGINE_UNAVAILABLE', message, started, facts: {} }
  }
}

// A body that has not been entered needs no stopping: whoever aborts does not wait for the place.
function leaseUnlessAborted(
  lease: (signal: AbortSignal) => Soon<Seat>,
  signal: AbortSignal,
): Soon<Seat | Unstarted> {
  if (signal.aborted) return STOPPED
  const place = lease(signal)
  return place instanceof Promise ? awaitPlace(place, signal) : place
}

const STOPPED: Unstarted = Object.freeze({ kind: 'stopped', started: false })

async function awaitPlace(place: Promise<Seat>, signal: AbortSignal): Promise<Seat | Unstarted> {
  const aborted = Promise.withResolvers<Unstarted>()
  const abort = (): void => aborted.resolve(STOPPED)
  signal.addEventListener('abort', abort, { once: true })
  const leased = leaseOrDeath(place)
  const first = await Promise.race([leased, aborted.promise])
  signal.removeEventListener('abort', abort)
  if (!signal.aborted) return first
  void leased.then((seat) => {
    if ('converse' in seat) seat.giveBack()
  })
  return STOPPED
}

/** Abort message first, then the grace, then the kill. */
function stopOnAbort(
  seat: Seat,
  run: Conversation,
  job: BodyJob,
): { killed(): boolean; release(): void } {
  let timer: NodeJS.Timeout | undefined
  let killed = false
  const stop = (): void => {
    run.abort(toAbortReason(job.signal.reason))
    timer = setTimeout(() => {
      killed = !seat.isDead()
      seat.kill('grace is over')
      timer = setTimeout(() => run.abandon(), CONFIRM_MS)
    }, job.graceMs)
  }
  job.signal.addEventListener('abort', stop, { once: true })
  return {
    killed: () => killed,
    release() {
      clearTimeout(timer)
      job.signal.removeEventListener('abort', stop)
    },
  }
}

// A place that is still busy with a call that has settled is not waited for.
async function retire(seat: Seat, run: Conversation): Promise<void> {
  if (run.quiet === true) return seat.giveBack()
  seat.leaving?.()
  const cpuMs = seat.cpuMs?.bind(seat)
  const cancel = startWorkTimer({ ms: QUIET_MS, cpuMs }, () => seat.kill('it did not come to rest'))
  const quiet = await run.quiet
  cancel()
  if (quiet) seat.giveBack()
  else await seat.discard()
}
