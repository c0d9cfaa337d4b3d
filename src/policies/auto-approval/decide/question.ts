import { cutText, escapeText } from '../../../cards/escape.ts'
import type { ApprovalQuestion } from '../../../approval/types.ts'
import { sanitizeArguments } from '../models/sanitize.ts'
import { redactText } from '../redaction/redact.ts'
import type { Case } from './case.ts'
import { describeCode } from './texts.ts'
import { codesOf, directiveOf } from './verdicts.ts'

/** How long a question stands, and what silence means. */
export interface QuestionFrame {
  readonly seconds: number | undefined
  readonly onTimeout: 'allow' | 'reject'
  readonly recentDenials?: readonly string[]
  readonly suggestion?: string | undefined
}

const MAX_ARGUMENTS = 4_000
const MAX_REASON = 1_000
const MAX_NAME = 200

/** Composes what answerers are shown: masked, escaped, and short. */
export function composeQuestion(
  { call, ask, inForce }: Case,
  frame: QuestionFrame,
): ApprovalQuestion {
  const { assessment } = call.assessed
  const sanitized = sanitizeArguments(call.exec.arguments)
  const text = JSON.stringify(sanitized.value)
  const codes = [...call.notes, ...codesOf(call)]
  const directive = directiveOf(call, inForce)
  const locked = assessment.locked || directive.locked
  return {
    askId: ask.id,
    session: call.place.session,
    agent: shorten(call.place.agent ?? ''),
    tool: shorten(call.exec.name),
    callId: shorten(call.exec.callId),
    risk: assessment.tier === 'DENY' ? 'HIGH' : assessment.tier,
    locked,
    category: assessment.category ?? undefined,
    reasons: codes.map((code) => Object.freeze({ code, text: describeCode(code) })),
    reason: ask.reason === undefined ? undefined : toLine(ask.reason, MAX_REASON),
    arguments: cutText(text, MAX_ARGUMENTS),
    shortened: sanitized.shortened || text.length > MAX_ARGUMENTS,
    seconds: frame.seconds,
    onTimeout: frame.onTimeout,
    sessionScope: !locked && directive.directive !== 'ask' && !call.isLoop,
    recentDenials: frame.recentDenials ?? [],
    suggestion: frame.suggestion,
  }
}

function shorten(text: string): string {
  return toLine(text, MAX_NAME)
}

/** One line of foreign text: masked, cut, and free of what moves a cursor. */
export function toLine(text: string, max: number): string {
  return escapeText(cutText(redactText(text), max))
}
