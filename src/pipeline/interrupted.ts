import type { ErrorFacts } from '../errors/caisson-error.ts'
import type { Interrupt } from '../signals/interrupt.ts'
import type { JsonValue } from '../types/json.ts'
import { hasStarted, type Call } from './call.ts'
import { failWith, type Failure } from './outcome.ts'

const TEXTS = {
  ABORTED: 'the call was aborted',
  HOST_CLOSED: 'the host was closed',
  AGENT_DISPOSED: 'the agent was disposed',
} as const

/** The failure of a call that was ended from outside, before or after its body began. */
export function interruptedFailure(
  interrupt: Pick<Interrupt, 'code' | 'reason'>,
  phase: 'before' | 'after',
  contexts: readonly JsonValue[] = [],
  facts: ErrorFacts = {},
): Failure {
  const code = interrupt.code ?? 'ABORTED'
  const when = phase === 'before' ? ' before its body began' : ''
  const shown = code === 'ABORTED' && phase === 'before' ? 'ABORTED_BEFORE_DISPATCH' : code
  const reason = toReasonText(interrupt.reason)
  return failWith(shown, `${TEXTS[code]}${when}`, { ...facts, reason }, contexts)
}

/** The failure of a call that was stopped at its deadline. */
export function timeoutFailure(ms: number, started: boolean, facts: ErrorFacts = {}): Failure {
  const message = `the tool was stopped at its deadline of ${ms} ms (timeoutMs)`
  return failWith('TOOL_TIMEOUT', message, { ...facts, ms, started, budget: 'wall' })
}

/** What a signal inside the around stage aborted with, and the deadline it was under. */
export interface StopCause {
  readonly reason: unknown
  readonly limit: { readonly ms: number; readonly reason: Error | undefined } | undefined
}

/**
 * The failure of a call that was stopped inside the around stage: by its deadline, by a wrapper, or
 * from outside. The reason tells which came first; later ones change nothing.
 */
export function stoppedFailure(
  call: Call,
  { reason, limit }: StopCause,
  started: boolean,
  facts: ErrorFacts = {},
): Failure {
  const entered = started || hasStarted(call)
  if (limit?.reason !== undefined && reason === limit.reason) {
    return timeoutFailure(limit.ms, entered, facts)
  }
  const outside = Object.is(reason, call.interrupt.reason) ? call.interrupt.code : undefined
  return interruptedFailure({ code: outside, reason }, entered ? 'after' : 'before', [], facts)
}

/** The text of an abort reason; never throws, never more than 4 096 characters. */
function toReasonText(reason: unknown): string {
  try {
    const text = reason instanceof Error ? reason.message : String(reason)
    return text.slice(0, 4_096)
  } catch {
    return 'aborted' // A reason that cannot be read has no text.
  }
}
