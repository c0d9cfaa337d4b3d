import { hasStarted, untilQuiet, type Call } from '../pipeline/call.ts'
import { timeoutFailure } from '../pipeline/interrupted.ts'
import type { Failure, Outcome } from '../pipeline/outcome.ts'
import { createDeadline } from '../signals/deadline.ts'
import { fuseSignals } from '../signals/fuse.ts'
import type { Limit, NextStage, Pass } from './stage.ts'

/**
 * Aborts the signal of everything inside after `ms` and waits until the body has stopped. A wrapper
 * that is still pending then is ignored; nothing that arrives after the deadline is accepted. A call
 * that is interrupted first has no deadline any more.
 */
export async function withTimeout(
  call: Call,
  pass: Pass,
  ms: number,
  next: NextStage,
): Promise<Outcome> {
  let expire = (): void => undefined
  using fused = fuseSignals(sourcesOf(call, pass.signal), call.interrupt)
  using deadline = createDeadline(ms, () => {
    limit.reason = timeoutReason(ms)
    fused.abort(limit.reason)
    expire()
  })
  const limit: Limit = { ms, reason: undefined, deadline, left: false }
  const off = call.interrupt.onFire(() => deadline[Symbol.dispose]())
  try {
    const inner = next({ signal: fused.signal, fused: fused.signal, limit })
    const ended = await new Promise<Outcome | undefined>((resolve, reject) => {
      expire = () => resolve(undefined)
      if (limit.reason !== undefined) expire()
      inner.then(resolve, reject)
    })
    if (ended !== undefined && !deadline.expired) return ended
    const timedOut = toTimeout(call, ms, ended ?? (await afterStop(call, inner)))
    call.lastOutcome = timedOut
    return timedOut
  } finally {
    limit.left = true
    off()
  }
}

// The interrupt hears the caller's own signal already.
function sourcesOf({ exec }: Call, signal: AbortSignal): readonly AbortSignal[] {
  return signal === exec.signal ? [] : [signal]
}

// The body is stopped first; what wraps it then has one grace to return, and is ignored after it.
async function afterStop(call: Call, inner: Promise<Outcome>): Promise<Outcome | undefined> {
  await untilQuiet(call)
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), call.graceMs)
  try {
    return await Promise.race([inner, late.promise])
  } finally {
    clearTimeout(timer)
    inner.catch(() => undefined) // What is ignored may also fail.
  }
}

function toTimeout(call: Call, ms: number, outcome: Outcome | undefined): Failure {
  const contexts = outcome?.contexts ?? call.bodyContexts
  if (outcome?.kind !== 'failure') return { ...timeoutFailure(ms, hasStarted(call)), contexts }
  const { code, thrown } = outcome.failure
  if (code === 'TOOL_TIMEOUT') return outcome
  const facts = thrown === undefined ? {} : { thrown }
  return { ...timeoutFailure(ms, hasStarted(call), facts), contexts }
}

function timeoutReason(ms: number): Error {
  return Object.assign(new Error(`the tool's deadline of ${ms} ms has passed`), {
    name: 'TimeoutError',
    code: 'TOOL_TIMEOUT',
  })
}
