import { escapeText } from '../cards/escape.ts'
import type { ApprovalQuestion } from './types.ts'

/** A question as lines of plain text. What a model or a tool wrote stands behind a bar of its own. */
export function drawQuestion(question: ApprovalQuestion): string[] {
  const { tool, agent, risk, category, locked, reasons, suggestion, recentDenials } = question
  const about = [
    ...(risk === undefined ? [] : [`risk ${risk}`]),
    ...(category === undefined ? [] : [`category ${category}`]),
    ...(locked ? ['locked'] : []),
  ]
  const asking = reasons.filter(({ text }) => text !== '').slice(0, 4)
  return [
    '',
    `Approval needed${about.length === 0 ? '' : ` (${about.join(', ')})`}: ${line(tool)} asked for by agent ${line(agent)}`,
    ...argumentLines(question),
    ...asking.map(({ code, text }) => `  It ${line(text)} [${line(code)}]`),
    ...(asking.length === 0 && question.reason !== undefined
      ? [`  Reason: ${line(question.reason)}`]
      : []),
    ...(recentDenials.length === 0
      ? []
      : [
          `  Models refused ${recentDenials.length} calls of this session lately and are not asked.`,
        ]),
    ...(suggestion === undefined ? [] : [`  Suggestion: ${line(suggestion)}`]),
  ]
}

/** What `d` shows besides. */
export function drawDetails(question: ApprovalQuestion): string[] {
  const { callId, session, reasons, reason, recentDenials } = question
  return [
    `  call ${line(callId)}${session === undefined ? '' : `, session ${line(session)}`}`,
    ...(reason === undefined ? [] : [`  asked because: ${line(reason)}`]),
    ...reasons.map(({ code, text }) => `  ${line(code)}: ${line(text)}`),
    ...recentDenials.map((text) => `  refused before: ${line(text)}`),
    ...argumentLines(question, Infinity),
  ]
}

const SHOWN_LINES = 20

function argumentLines(question: ApprovalQuestion, max: number = SHOWN_LINES): string[] {
  const lines = pretty(question.arguments).split('\n')
  const cut = lines.length > max ? [`  | … ${lines.length - max} more lines (d shows them)`] : []
  return [
    ...lines.slice(0, max).map((text) => `  | ${line(text)}`),
    ...cut,
    ...(question.shortened ? ['  | (shortened; the whole call is what runs)'] : []),
  ]
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 1)
  } catch {
    return text // Cut somewhere in the middle.
  }
}

function line(text: string): string {
  return escapeText(text.replaceAll('\n', '⏎'))
}
