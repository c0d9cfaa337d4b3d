import type { ApprovalOutcome } from '../types/decision.ts'
import { escapeToLine } from '../cards/escape.ts'
import type { Asks } from './asks.ts'
import type { Adjudicator, Ask } from './service.ts'
import type { Answerer, ApprovalQuestion, RaceEnd } from './types.ts'

/**
 * Decides asks where no approval pack is: whoever answers first, without a timer. Where nobody was
 * added the listeners of `approval/request` decide alone.
 */
export function createPlainAdjudicator(asks: Asks): Adjudicator {
  return {
    adjudicate(ask) {
      const question = composePlainQuestion(ask)
      if (!asks.hasAnswerer(question)) return undefined
      return askEverybody(ask, question, asks)
    },
  }
}

/** Asks answerers and listeners at once, without a timer; the first valid answer counts. */
export async function askEverybody(
  ask: Ask,
  question: ApprovalQuestion,
  asks: Asks,
  signal: AbortSignal = ask.signal,
): Promise<ApprovalOutcome> {
  const extra = ask.hasListeners ? [createListenerAnswerer(ask)] : []
  return toOutcome(await asks.run({ question, signal, quietMs: 0 }, extra))
}

/** The listeners of `approval/request` as one program among the answerers. */
export function createListenerAnswerer(ask: Pick<Ask, 'consultListeners'>): Answerer {
  return {
    id: 'listeners',
    kind: 'program',
    available: () => true,
    async ask(_question, signal) {
      switch (await ask.consultListeners(signal)) {
        case 'allowed-once':
          return { decision: 'allow' }
        case 'rejected':
          return { decision: 'reject' }
        case 'cancelled':
          return { decision: 'cancel' }
        default:
          return undefined
      }
    },
  }
}

function toOutcome(end: RaceEnd): ApprovalOutcome {
  if (end.kind === 'answer') return end.answer.decision === 'allow' ? 'allowed-once' : 'rejected'
  return end.kind === 'unavailable' ? 'unavailable' : 'cancelled'
}

const MAX_ARGUMENTS = 4_000

function composePlainQuestion({ id, call, reason }: Ask): ApprovalQuestion {
  const { exec } = call
  const text = JSON.stringify(exec.arguments)
  return Object.freeze({
    askId: id,
    session: undefined,
    agent: escapeToLine(exec.agent?.id ?? ''),
    tool: escapeToLine(exec.name),
    callId: escapeToLine(exec.callId),
    risk: undefined,
    locked: false,
    category: undefined,
    reasons: [],
    reason: reason === undefined ? undefined : escapeToLine(reason),
    arguments: escapeToLine(text, MAX_ARGUMENTS),
    shortened: text.length > MAX_ARGUMENTS,
    seconds: undefined,
    onTimeout: 'reject',
    sessionScope: false,
    recentDenials: [],
    suggestion: undefined,
  })
}
