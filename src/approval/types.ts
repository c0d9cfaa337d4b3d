import type { Disposer } from '../types/decision.ts'

/** A model or a program may say what it wants; only a human unlocks a locked ask. */
export type AnswererKind = 'human' | 'program'

/** What an answerer is shown: frozen, masked, and short enough to read. */
export interface ApprovalQuestion {
  readonly askId: string
  readonly session: string | undefined
  readonly agent: string
  readonly tool: string
  readonly callId: string
  readonly risk: 'LOW' | 'MEDIUM' | 'HIGH' | undefined
  /** Only a human may allow it, once, and not with a single key. */
  readonly locked: boolean
  readonly category: string | undefined
  readonly reasons: readonly { readonly code: string; readonly text: string }[]
  /** Why whoever asked wants an answer. */
  readonly reason: string | undefined
  /** JSON text; `shortened` when something was left out. */
  readonly arguments: string
  readonly shortened: boolean
  /** Seconds until the timer decides, from the moment the question is shown; undefined for never. */
  readonly seconds: number | undefined
  /** What the timer decides. */
  readonly onTimeout: 'allow' | 'reject'
  /** Whether `scope: 'session'` is possible. */
  readonly sessionScope: boolean
  /** Why models refused calls of this session lately, while none is asked any more. */
  readonly recentDenials: readonly string[]
  /** What a second model thinks, if it said so already; advice and nothing else. */
  readonly suggestion: string | undefined
}

/** An answer; `cancel` dismisses the question without a verdict. */
export interface ApprovalAnswer {
  readonly decision: 'allow' | 'reject' | 'cancel'
  /** `session`: the same tool with the same arguments, for the rest of the session. Default `once`. */
  readonly scope?: 'once' | 'session'
  /** Kept in the record, masked; the model never sees it. */
  readonly note?: string
}

/** Somebody who can answer. */
export interface Answerer {
  readonly id: string
  readonly kind: AnswererKind
  available(question: ApprovalQuestion): boolean
  /**
   * Shows the question until `signal` aborts. `undefined` or a throw withdraws: somebody else has to
   * answer.
   */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer | undefined>
  /** A second model's opinion on a question that is being shown. */
  advise?(askId: string, suggestion: string): void
}

/** How an ask that involved waiting ended. */
export type RaceEnd =
  | {
      readonly kind: 'answer'
      readonly answer: ApprovalAnswer
      readonly by: { readonly id: string; readonly kind: AnswererKind }
    }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'claim'; readonly decision: 'allow' | 'reject' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'unavailable' }

/** What became of an answer that was given to an open ask by its id. */
export type AnswerReceipt = 'accepted' | 'refused' | 'unknown' | 'already-decided'

/** The answerers of a host. */
export interface Answerers {
  add(answerer: Answerer): Disposer
  /** Those who can answer this question, in order of arrival. */
  availableFor(question: ApprovalQuestion): readonly Answerer[]
}
