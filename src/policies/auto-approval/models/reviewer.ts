import type { Clock } from '../../../approval/clock.ts'
import type { ReviewerSettings } from '../config/settings.ts'
import { redactText } from '../redaction/redact.ts'
import { parseAnswerObject } from './envelope.ts'
import type { ReviewEvidence } from './evidence.ts'
import { REVIEWER_PROMPT } from './prompts.ts'
import type { ModelFailure, ModelReply, ModelTransport } from './transport.ts'

/** What the second model says, or why it says nothing. */
export type Review =
  | {
      readonly kind: 'verdict'
      readonly decision: 'ALLOW' | 'DENY' | 'ESCALATE'
      readonly risk: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL' | undefined
      readonly reason: string | undefined
      readonly ms: number
    }
  | { readonly kind: 'failed'; readonly why: ModelFailure; readonly ms: number }

export interface ReviewRequest {
  readonly settings: ReviewerSettings
  readonly evidence: ReviewEvidence
  readonly signal: AbortSignal
  /** When the ask ends, on the clock; the review ends before. */
  readonly deadline: number
}

const MARGIN_MS = 1_500
const RETRY_MS = 500
const MAX_REASON = 1_000
const RETRIED: ReadonlySet<ModelFailure> = new Set([
  'rate-limit',
  'server-error',
  'transport',
  'empty',
])
const DECISIONS: ReadonlySet<unknown> = new Set(['ALLOW', 'DENY', 'ESCALATE'])
const RISKS: ReadonlySet<unknown> = new Set(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])

/** Asks the second model, once more where that can help and still fits. Never rejects. */
export async function review(
  { transport, clock }: { readonly transport: ModelTransport; readonly clock: Clock },
  request: ReviewRequest,
): Promise<Review> {
  const { settings, evidence, signal } = request
  const begun = clock.now()
  const latest = request.deadline - MARGIN_MS
  const safety = redactText(settings.safetyText)
  const system =
    safety === '' ? REVIEWER_PROMPT : `${REVIEWER_PROMPT}\nOperator constraints:\n${safety}`
  const user = JSON.stringify(evidence)
  let last: Review = { kind: 'failed', why: 'timeout', ms: 0 }
  for (let attempt = 0; attempt <= settings.retries; attempt++) {
    const timeoutMs = Math.min(settings.attemptSeconds * 1_000, latest - clock.now())
    if (timeoutMs <= 0 || signal.aborted) return last
    const reply = await transport.ask({ settings, system, user, timeoutMs, signal })
    last = toReview(reply, Math.round(clock.now() - begun))
    if (reply.kind === 'text' || !RETRIED.has(reply.why)) return last
    const wait = reply.retryAfterMs ?? RETRY_MS
    if (attempt < settings.retries && !(await rest(wait, latest, clock, signal))) return last
  }
  return last
}

// False when there is no time left for it, or nobody waits any more.
async function rest(
  ms: number,
  latest: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  if (clock.now() + ms >= latest) return false
  const { promise, resolve } = Promise.withResolvers<void>()
  const clear = clock.after(ms, resolve)
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop, { once: true })
  await promise
  clear()
  signal.removeEventListener('abort', stop)
  return !signal.aborted
}

function toReview(reply: ModelReply, ms: number): Review {
  if (reply.kind === 'failed') return { kind: 'failed', why: reply.why, ms }
  const verdict = parseReview(reply.text)
  return verdict === undefined
    ? { kind: 'failed', why: 'malformed', ms }
    : { kind: 'verdict', ...verdict, ms }
}

type Verdict = Omit<Extract<Review, { readonly kind: 'verdict' }>, 'kind' | 'ms'>

/** `decision`, and perhaps `risk` and `reason`; or nothing. */
function parseReview(text: string): Verdict | undefined {
  try {
    const { decision, risk, reason, ...rest } = parseAnswerObject(text)
    if (Object.keys(rest).length > 0 || !DECISIONS.has(decision)) return undefined
    if (risk !== undefined && !RISKS.has(risk)) return undefined
    if (reason !== undefined && typeof reason !== 'string') return undefined
    return {
      decision: decision as Verdict['decision'],
      risk: risk as Verdict['risk'],
      reason: reason?.slice(0, MAX_REASON),
    }
  } catch {
    return undefined
  }
}
