import { askEverybody, createListenerAnswerer } from '../../../approval/plain.ts'
import type { Ask } from '../../../approval/service.ts'
import type { RaceEnd } from '../../../approval/types.ts'
import type { RaceAsk } from '../../../approval/race.ts'
import type { ApprovalOutcome } from '../../../types/decision.ts'
import type { ModelNote } from '../journals/records.ts'
import { cancel, commit, type Case } from './case.ts'
import type { DecidedCall } from './executions.ts'
import { noteLearned } from './learned.ts'
import type { Parts } from './parts.ts'
import { composeQuestion, type QuestionFrame } from './question.ts'
import { describeCodes } from './texts.ts'
import { codesOf, refuse, shown, type DenyDetails } from './verdicts.ts'

/** What a question waits, and what silence means. */
export type Timing = Pick<QuestionFrame, 'seconds' | 'onTimeout'>

export interface HumanExtras {
  readonly recentDenials?: readonly string[]
  readonly quietMs?: number
  readonly review?: RaceAsk['review']
  /** What the reviewer said, once it did. */
  readonly note?: () => ModelNote | undefined
}

/** Asks people and programs, with a timer and perhaps a reviewer; unattended it refuses at once. */
export async function askHuman(
  given: Case,
  timing: Timing,
  extras: HumanExtras = {},
): Promise<ApprovalOutcome> {
  const { call, ask, inForce, parts } = given
  if ((call.root.mode ?? inForce.settings.defaultReviewMode) === 'unattended') {
    refuse(call, 'unattended-deny', parts)
    return 'rejected'
  }
  const { recentDenials } = extras
  const frame = recentDenials === undefined ? timing : { ...timing, recentDenials }
  const end = await runRace(given, {
    question: composeQuestion(given, frame),
    signal: AbortSignal.any([ask.signal, parts.closing]),
    quietMs: extras.quietMs ?? 0,
    review: extras.review,
  })
  return settle(given, end, timing, extras.note?.())
}

/** Asks without the adjudicator: no timer, no model; recorded by its outcome alone. */
export function askPlainly(
  call: DecidedCall,
  ask: Ask,
  parts: Parts,
): Promise<ApprovalOutcome> | undefined {
  const given: Case = { call, ask, parts, inForce: parts.inForce() }
  const question = composeQuestion(given, { seconds: undefined, onTimeout: 'reject' })
  if (!parts.asks.hasAnswerer(question)) return undefined
  const signal = AbortSignal.any([ask.signal, parts.closing])
  return askEverybody(ask, question, parts.asks, signal)
}

function runRace(
  { ask, parts }: Case,
  what: Omit<RaceAsk, 'answerers' | 'bystanders'>,
): Promise<RaceEnd> {
  return parts.asks.run(what, ask.hasListeners ? [createListenerAnswerer(ask)] : [])
}

async function settle(
  given: Case,
  end: RaceEnd,
  { seconds, onTimeout }: Timing,
  llm: ModelNote | undefined,
): Promise<ApprovalOutcome> {
  const { call, inForce, parts } = given
  const details: DenyDetails = {
    ...shown(call, inForce),
    ...(llm === undefined ? {} : { llm }),
    ...(seconds === undefined ? {} : { seconds }),
  }
  switch (end.kind) {
    case 'answer':
      return settleAnswer(given, end, details)
    case 'timeout':
      if (onTimeout === 'allow') return commit(given, 'timeout-allow', details)
      refuse(call, 'timeout-deny', parts, details)
      return 'rejected'
    case 'claim':
      if (end.decision === 'allow') return commit(given, 'review-allow', details)
      call.root.breaker.denied(describeCodes(codesOf(call)))
      refuse(call, 'review-deny', parts, { ...details, showsBreaker: true })
      return 'rejected'
    case 'cancelled':
      return cancel(given)
    case 'unavailable':
      refuse(call, 'unavailable', parts, details)
      return 'unavailable'
  }
}

async function settleAnswer(
  given: Case,
  { answer, by }: Extract<RaceEnd, { readonly kind: 'answer' }>,
  details: DenyDetails,
): Promise<ApprovalOutcome> {
  const { call, parts } = given
  const isHuman = by.kind === 'human'
  const answered = { ...details, answerer: { ...by, note: answer.note } }
  if (answer.decision === 'allow') {
    const outcome = await commit(given, isHuman ? 'human-allow' : 'program-allow', answered)
    if (isHuman) call.root.breaker.answered()
    if (outcome !== 'allowed-once' || !isHuman) return outcome
    if (answer.scope === 'session') call.root.lasting.add(call.key)
    noteLearned(given, 'allow')
    return outcome
  }
  if (isHuman) {
    call.root.breaker.answered()
    noteLearned(given, 'reject')
  }
  refuse(call, isHuman ? 'human-deny' : 'program-deny', parts, answered)
  return 'rejected'
}
