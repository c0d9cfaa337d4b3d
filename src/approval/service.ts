import { randomUUID } from 'node:crypto'
import type { Call } from '../pipeline/call.ts'
import type { Listener } from '../registry/hub.ts'
import { collectListeners } from '../registry/scope.ts'
import type { AgentRef } from '../types/call.ts'
import type { ApprovalOutcome, ApprovalRequest } from '../types/decision.ts'

/** An open question: its answer, and a way to take it back. */
export interface Question {
  readonly outcome: Promise<ApprovalOutcome>
  /** Logs `cancelled` and drops whatever answer comes later. */
  withdraw(): void
}

/** Asks the registered answerers and records every question with exactly one decision. */
export interface Approvals {
  ask(call: Call, agent: AgentRef, reason: string | undefined): Question
}

/** Where questions and decisions are recorded. */
export interface ApprovalJournal {
  asked(call: Call, event: { id: string; reason?: string }): void
  decided(call: Call, event: { id: string; outcome: ApprovalOutcome }): void
}

/** One ask as whoever decides about it sees it. */
export interface Ask {
  readonly id: string
  readonly call: Call
  readonly reason: string | undefined
  /** Aborts when the call no longer waits for an answer. */
  readonly signal: AbortSignal
  /** True when the event has listeners at all. */
  readonly hasListeners: boolean
  /** Runs the listeners of `approval/request`; the request they see carries this signal. */
  consultListeners(signal: AbortSignal): Promise<ApprovalOutcome>
}

/** Who decides before, instead of or around the listeners of `approval/request`. */
export interface Adjudicator {
  /** Undefined when it has nothing to say: then the listeners alone decide. */
  adjudicate(ask: Ask): Promise<ApprovalOutcome> | undefined
}

const OUTCOMES: ReadonlySet<unknown> = new Set<ApprovalOutcome>([
  'allowed-once',
  'rejected',
  'cancelled',
  'unavailable',
])

/**
 * Creates the service. Of the listeners, the first that returns instead of calling `next()` decides;
 * one in front of it can refuse what it granted, or answer when nobody behind could, and nothing
 * else. Nobody but the adjudicator stands in front of all of them.
 */
export function createApprovals(journal: ApprovalJournal, adjudicator?: Adjudicator): Approvals {
  return {
    ask(call, agent, reason) {
      const id = randomUUID()
      const withdrawal = new AbortController()
      const given = reason === undefined ? {} : { reason }
      let decided = false
      const decide = (outcome: ApprovalOutcome): void => {
        if (decided) return
        decided = true
        journal.decided(call, { id, outcome })
      }
      const consultListeners = (signal: AbortSignal): Promise<ApprovalOutcome> => {
        const request: ApprovalRequest = Object.freeze({
          agent,
          toolName: call.exec.name,
          callId: call.exec.callId,
          arguments: call.exec.arguments,
          ...given,
          signal,
        })
        return consult(call, request, () => decided)
      }
      journal.asked(call, { id, ...given })
      const { signal } = withdrawal
      const hasListeners = collectListeners(call.scope, 'approval/request').length > 0
      const ask: Ask = { id, call, reason, signal, hasListeners, consultListeners }
      const outcome = adjudicate(adjudicator, ask).then((answer) => {
        decide(answer)
        return answer
      })
      return {
        outcome,
        withdraw() {
          decide('cancelled')
          withdrawal.abort(call.interrupt.reason)
        },
      }
    },
  }
}

async function adjudicate(
  adjudicator: Adjudicator | undefined,
  ask: Ask,
): Promise<ApprovalOutcome> {
  try {
    return await (adjudicator?.adjudicate(ask) ?? ask.consultListeners(ask.signal))
  } catch {
    return 'unavailable' // Who breaks while deciding has not decided; nothing runs on that.
  }
}

async function consult(
  call: Call,
  request: ApprovalRequest,
  isDecided: () => boolean,
): Promise<ApprovalOutcome> {
  const answerers = collectListeners(call.scope, 'approval/request')
  const askFrom = async (at: number): Promise<ApprovalOutcome> => {
    const answerer = answerers[at]
    if (answerer === undefined || isDecided()) return 'unavailable'
    let behind: Promise<ApprovalOutcome> | undefined
    const next = (): Promise<ApprovalOutcome> => {
      if (behind !== undefined) throw new Error(`'${answerer.name}' called next() a second time`)
      return (behind = askFrom(at + 1))
    }
    const own = await readAnswer(answerer, request, next)
    const inner = behind === undefined ? 'unavailable' : await behind
    return inner === 'unavailable' || STRICTNESS[own] > STRICTNESS[inner] ? own : inner
  }
  return askFrom(0)
}

const STRICTNESS = { 'allowed-once': 0, unavailable: 1, cancelled: 2, rejected: 3 } as const

async function readAnswer(
  { fn }: Listener,
  request: ApprovalRequest,
  next: () => Promise<ApprovalOutcome>,
): Promise<ApprovalOutcome> {
  try {
    const answer: unknown = await Reflect.apply(fn, undefined, [request, next])
    return OUTCOMES.has(answer) ? (answer as ApprovalOutcome) : 'unavailable'
  } catch {
    return 'unavailable' // An answerer that breaks has not answered; nobody else speaks for it.
  }
}
