import type { Limit } from '../around/stage.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import type { ErrorCode } from '../errors/codes.ts'
import type { FairQueue, QueueRequest } from '../queue/fair-queue.ts'
import type { Registration } from '../registry/registration.ts'
import { findTool } from '../registry/layer.ts'
import type { BodyJob, BodyOutcome, ToolBody } from '../types/engine.ts'
import type { Soon } from '../types/soon.ts'
import type { Call } from './call.ts'
import { stoppedFailure, type StopCause } from './interrupted.ts'
import { failWith, type Failure, type Outcome } from './outcome.ts'
import { scrubOutcome } from './scrub-outcome.ts'
import { createServices, type ServiceHost } from './services.ts'
import { shapeValue } from './shape.ts'

/** What dispatch needs of the host. */
export interface DispatchHost extends ServiceHost {
  readonly queue: FairQueue
  readonly queueTimeoutMs: number
  /** Runs a try at the body inside whatever follows the call from outside; absent for nothing. */
  readonly within?: <T>(call: Call, run: (traceparent?: string) => Promise<T>) => Promise<T>
}

/** What one try at the body is under. */
export interface DispatchPass {
  /** Stops the body. */
  readonly stop: AbortSignal
  /** What an inline body sees: the caller's own signal when it may. */
  readonly visible: AbortSignal
  readonly limit: Limit | undefined
}

/**
 * One try at the body: the checks before an engine is touched, the queue, the engine, and the value
 * that came back. Resolves once the body has stopped for good. Never rejects because of a tool.
 */
export async function dispatch(
  call: Call,
  pass: DispatchPass,
  host: DispatchHost,
): Promise<Outcome> {
  const refusal = checkBeforeEngine(call, pass)
  if ('kind' in refusal) return refusal
  call.running += 1
  try {
    return await runAttempt(call, refusal.registration, pass, host)
  } finally {
    call.running -= 1
    if (call.running === 0) for (const resolve of call.quietWaiters) resolve()
  }
}

function checkBeforeEngine(
  call: Call,
  pass: DispatchPass,
): Failure | { readonly registration: Registration } {
  if (pass.stop.aborted) return stoppedFailure(call, toCause(pass), false)
  const { registration, exec } = call
  if (registration === undefined) return unknownTool(exec.name)
  if (findTool(call.scope, exec.name) !== registration) {
    return failWith(
      'UNKNOWN_TOOL',
      `tool '${exec.name}' was replaced or removed since the call began`,
      {
        replaced: true,
      },
    )
  }
  const violations = registration.validateArguments(exec.arguments)
  if (violations.length === 0) return { registration }
  return failWith('INVALID_ARGS', `arguments do not fit: ${violations.join('; ')}`, {
    violations: [...violations],
  })
}

/** The failure of a call whose name resolves to no tool, hidden or never registered alike. */
export function unknownTool(name: string): Failure {
  return failWith('UNKNOWN_TOOL', `there is no tool named '${name}'`)
}

async function runAttempt(
  call: Call,
  registration: Registration,
  pass: DispatchPass,
  host: DispatchHost,
): Promise<Outcome> {
  const { body } = registration
  const place = takeSlot(call, registration, pass, host)
  const slot = place instanceof Promise ? await place : place
  if ('kind' in slot) return slot
  call.bodyContexts = []
  call.concluded = false
  const begun = performance.now()
  const services = createServices(call, registration, host)
  try {
    const job: BodyJob = {
      exec: call.exec,
      signal: pass.stop,
      visibleSignal: pass.visible,
      graceMs: registration.operator.graceMs,
      wantsMeta: call.exec.parent === undefined,
      services,
    }
    const ended = await runWithin(call, body, job, host)
    const outcome = registration.operator.grants === undefined ? ended : scrubOutcome(ended, host)
    services.close()
    slot.release()
    call.timings.prepareMs += outcome.prepareMs
    call.timings.bodyMs += outcome.bodyMs
    const shaped = await toOutcome(call, registration, pass, explain(outcome, call, host))
    record(call, services.started || startedOf(outcome), begun, shaped)
    call.lastOutcome = shaped
    return shaped
  } finally {
    services.close()
    slot.release()
  }
}

function runWithin(
  call: Call,
  body: ToolBody,
  job: BodyJob,
  { within }: DispatchHost,
): Promise<BodyOutcome> {
  if (within === undefined) return body.run(job)
  return within(call, (traceparent) =>
    body.run(traceparent === undefined ? job : { ...job, traceparent }),
  )
}

// Whoever reads that nothing could be started wants to know whether it was the crowd.
function explain(outcome: BodyOutcome, call: Call, { queue }: DispatchHost): BodyOutcome {
  if (outcome.kind !== 'died' || outcome.code !== 'ENGINE_UNAVAILABLE') return outcome
  const waitedMs = Math.round(call.timings.queueMs)
  return { ...outcome, facts: { depth: queue.depth, waitedMs, ...outcome.facts } }
}

interface Slot {
  release(): void
}

const FREE: Slot = { release: () => undefined }

function takeSlot(
  call: Call,
  registration: Registration,
  pass: DispatchPass,
  host: DispatchHost,
): Soon<Slot | Failure> {
  const { lane } = registration.body
  if (lane === undefined) return FREE
  const tenant = call.scope.agentId === undefined ? undefined : call.scope
  const request = { lane, tenant, signal: pass.stop, timeoutMs: host.queueTimeoutMs }
  return host.queue.take(request) ?? waitForSlot(call, request, pass, host)
}

async function waitForSlot(
  call: Call,
  request: QueueRequest,
  pass: DispatchPass,
  host: DispatchHost,
): Promise<Slot | Failure> {
  const queued = performance.now()
  pass.limit?.deadline.pause()
  try {
    return await host.queue.wait(request)
  } catch (error) {
    if (!isCaissonError(error)) throw error
    if (error.code === 'ABORTED_BEFORE_DISPATCH') {
      return stoppedFailure(call, toCause(pass), false)
    }
    return failWith(error.code, error.message, error.facts)
  } finally {
    pass.limit?.deadline.resume()
    call.timings.queueMs += performance.now() - queued
  }
}

async function toOutcome(
  call: Call,
  registration: Registration,
  pass: DispatchPass,
  outcome: BodyOutcome,
): Promise<Outcome> {
  const contexts = call.bodyContexts
  const thrown = outcome.kind === 'threw' ? { thrown: { ...outcome.thrown } } : {}
  if (pass.stop.aborted || outcome.kind === 'stopped') {
    const unconfirmed = outcome.kind === 'stopped' && outcome.unconfirmed === true
    const facts = unconfirmed ? { unconfirmed } : thrown
    return { ...stoppedFailure(call, toCause(pass), startedOf(outcome), facts), contexts }
  }
  switch (outcome.kind) {
    case 'returned': {
      const { projection } = outcome
      const shaped = await shapeValue({
        registration,
        args: call.exec.arguments,
        value: outcome.value,
        wantsMeta: call.exec.parent === undefined,
        ...(projection === undefined ? {} : { projection }),
      })
      if (shaped.kind === 'refused') return { ...shaped.failure, contexts }
      return { kind: 'success', ...shaped.shaped, contexts, concludes: call.concluded }
    }
    case 'unusable':
      return failWith(outcome.code, outcome.message, outcome.facts, contexts)
    case 'threw': {
      const { refusal } = outcome
      if (refusal === undefined)
        return failWith('TOOL_ERROR', outcome.thrown.message, thrown, contexts)
      return failWith(refusal.code, refusal.message, refusal.facts, contexts)
    }
    case 'died':
      return failWith(
        outcome.code,
        outcome.message,
        { started: outcome.started, ...outcome.facts },
        contexts,
      )
    default:
      throw new CaissonError('PROTOCOL_ERROR', 'an engine ended a body in an unknown way')
  }
}

function toCause({ stop, limit }: DispatchPass): StopCause {
  return { reason: stop.reason, limit }
}

function startedOf(outcome: BodyOutcome): boolean {
  if (outcome.kind === 'died' || outcome.kind === 'stopped') return outcome.started
  return true
}

function record(call: Call, started: boolean, begun: number, outcome: Outcome): void {
  const code: ErrorCode | undefined = outcome.kind === 'failure' ? outcome.failure.code : undefined
  call.attempts.push(
    Object.freeze({
      attempt: call.attempts.length + 1,
      started,
      ms: performance.now() - begun,
      ...(code === undefined ? {} : { code }),
    }),
  )
}
