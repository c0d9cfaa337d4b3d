import { withRetry, resolveRetry } from '../around/retry.ts'
import { withTimeout } from '../around/timeout.ts'
import type { NextStage, Pass } from '../around/stage.ts'
import { withWrapper } from '../around/wrapper.ts'
import type { Listener } from '../registry/hub.ts'
import { collectListeners } from '../registry/scope.ts'
import { fuseSignals } from '../signals/fuse.ts'
import { untilInterrupted } from '../signals/interrupt.ts'
import { hasStarted, untilQuiet, type Call } from './call.ts'
import { dispatch, type DispatchHost } from './dispatch.ts'
import { interruptedFailure } from './interrupted.ts'
import type { Outcome } from './outcome.ts'

/** What the around stage needs of the host. */
export interface AroundHost extends DispatchHost {
  readonly defaultTimeoutMs: number
  /** Counts an ended call; never changes it. */
  measure(call: Call, outcome: Outcome, ms: number): void
}

/**
 * Wraps dispatch in the `tools/execute` listeners and the shipped wrappers. From outside in:
 * prepended listeners, metrics, timeout, retry, timeout per attempt, other listeners, dispatch.
 */
export async function runAround(call: Call, host: AroundHost): Promise<Outcome> {
  const listeners = collectListeners(call.scope, 'tools/execute')
  const outer = listeners.filter((listener) => listener.order < 0)
  const inner = listeners.filter((listener) => listener.order >= 0)
  const shipped = withShipped(call, host, compose(call, inner, toDispatch(call, host)))
  const work = compose(call, outer, shipped)({ signal: call.exec.signal, limit: undefined })
  const outcome = await settle(call, work)
  call.closed = true
  return endOf(call, outcome)
}

// Once the call is interrupted the body is stopped; a wrapper that hangs is not waited for.
async function settle(call: Call, work: Promise<Outcome>): Promise<Outcome | undefined> {
  const ended = await untilInterrupted(work, call.interrupt)
  if (ended.kind === 'done') return ended.value
  const begun = call.running > 0 || call.attempts.length > 0
  await untilQuiet(call)
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), begun ? call.graceMs : 0)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function endOf(call: Call, outcome: Outcome | undefined): Outcome {
  const { interrupt, lastOutcome } = call
  const phase = hasStarted(call) ? 'after' : 'before'
  if (outcome === undefined) {
    if (lastOutcome?.kind === 'failure') return lastOutcome
    return interruptedFailure(interrupt, phase, call.bodyContexts)
  }
  const byWrapper = outcome.kind === 'failure' && outcome.failure['by'] === 'wrapper'
  if (interrupt.code === undefined || (outcome.kind === 'failure' && !byWrapper)) return outcome
  return interruptedFailure(interrupt, phase, outcome.contexts)
}

function compose(call: Call, listeners: readonly Listener[], core: NextStage): NextStage {
  return listeners.reduceRight<NextStage>(
    (next, listener) => (pass) => withWrapper(call, listener, pass, next),
    core,
  )
}

function withShipped(call: Call, host: AroundHost, core: NextStage): NextStage {
  const { registration } = call
  if (registration === undefined) return core
  const { operator } = registration
  const retry = resolveRetry(
    operator.retry ?? registration.retry ?? operator.profileRetry,
    operator.idempotent ?? registration.idempotent,
  )
  const ms = deadlineOf(call, host)
  const attempt: NextStage =
    ms !== undefined && retry.perAttempt ? (pass) => withTimeout(call, pass, ms, core) : core
  const retried: NextStage =
    retry.retries === 0 ? attempt : (pass) => withRetry(call, pass, retry, attempt)
  const limited: NextStage =
    ms === undefined || retry.perAttempt ? retried : (pass) => withTimeout(call, pass, ms, retried)
  return async (pass) => {
    const begun = performance.now()
    const outcome = await limited(pass)
    host.measure(call, outcome, performance.now() - begun)
    return outcome
  }
}

/** The smaller of what is asked for and the profile's ceiling; none for an inline tool that asks for none. */
function deadlineOf({ registration }: Call, host: AroundHost): number | undefined {
  if (registration === undefined) return undefined
  const { operator, body } = registration
  const fallback = body.engine === 'inline' ? undefined : host.defaultTimeoutMs
  const asked = operator.timeoutMs ?? registration.timeoutMs ?? fallback
  if (asked === undefined) return operator.maxTimeoutMs
  return Math.min(asked, operator.maxTimeoutMs ?? asked)
}

// A wrapper can put another signal in its place, but nobody can detach the caller.
function toDispatch(call: Call, host: AroundHost): NextStage {
  return (pass) => {
    const { signal, fused, limit } = pass
    if (signal !== fused) return dispatchFused(call, pass, host)
    return dispatch(call, { stop: signal, visible: signal, limit }, host)
  }
}

async function dispatchFused(
  call: Call,
  { signal, limit }: Pass,
  host: AroundHost,
): Promise<Outcome> {
  const caller = call.exec.signal
  using stop = fuseSignals(signal === caller ? [] : [signal], call.interrupt)
  const visible = signal === caller ? caller : stop.signal
  return await dispatch(call, { stop: stop.signal, visible, limit }, host)
}
