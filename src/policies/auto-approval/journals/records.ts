import type { RiskTier } from '../types.ts'
import type { ReviewMode } from '../config/settings.ts'

/** Where a decision came from; closed. */
export type DecisionSource =
  | 'guard-deny'
  | 'hard-deny'
  | 'policy-deny'
  | 'static-allow'
  | 'classifier-allow'
  | 'classifier-deny'
  | 'rule-allow'
  | 'rule-deny'
  | 'allowlist-allow'
  | 'denylist-deny'
  | 'category-deny'
  | 'learned-allow'
  | 'review-allow'
  | 'review-deny'
  | 'timeout-allow'
  | 'timeout-deny'
  | 'human-allow'
  | 'human-deny'
  | 'program-allow'
  | 'program-deny'
  | 'unattended-deny'
  | 'audit-deny'
  | 'target-changed'
  | 'cancelled'
  | 'unavailable'

/** What else is worth a line; closed. */
export type ObservationKind =
  | 'result-redacted'
  | 'mask-failed'
  | 'artifact'
  | 'rule-would'
  | 'loop-guard'
  | 'learning-cap'
  | 'learning-reset'
  | 'config-rejected'
  | 'mode-changed'
  | 'breaker-reset'
  | 'answerer-failed'

export type DecisionOutcome = 'allowed' | 'denied' | 'cancelled' | 'unavailable'

/** What a model contributed to a decision; its text is masked. */
export interface ModelNote {
  readonly role: 'classifier' | 'reviewer'
  readonly decision: string
  readonly reason?: string
  readonly ms: number
}

/** One decision. It holds no argument, no path and no command text. */
export interface DecisionEntry {
  readonly type: 'decision'
  readonly id: string
  readonly exec: string
  readonly session?: string
  readonly root: string
  readonly agent?: string
  readonly call: string
  readonly tool: string
  readonly argsHmac: string
  readonly outcome: DecisionOutcome
  readonly source: DecisionSource
  readonly tier: RiskTier
  readonly category: string | null
  /** Only when the category layer took part. */
  readonly directive?: string
  readonly codes: readonly string[]
  readonly reason: string
  readonly rule?: string
  readonly llm?: ModelNote
  readonly breaker?: { readonly consecutive: number; readonly total: number }
  readonly answerer?: { readonly id: string; readonly kind: string; readonly note?: string }
  readonly waitedMs: number
  readonly mode: ReviewMode
  /** Digest of the settings in force. */
  readonly config: string
}

export interface ObservationEntry {
  readonly type: 'observation'
  readonly kind: ObservationKind
  readonly exec?: string
  readonly tool?: string
  readonly root?: string
  readonly count?: number
  readonly rule?: string
  readonly decision?: string
  readonly mode?: string
  readonly reason?: string
}

/** The history was cleared. */
export interface ClearEntry {
  readonly type: 'clear'
}

export type JournalEntry = DecisionEntry | ObservationEntry | ClearEntry

/** An entry as it stands in a file; `prev` is the SHA-256 of the line before. */
export type JournalLine = JournalEntry & {
  readonly v: 1
  readonly seq: number
  readonly prev?: string
  readonly at: string
}

const MAX_LINE_BYTES = 16 * 1_024
const SHORT_REASON = 200

/** One line of text without its newline, at most 16 KiB; a longer entry has its reason shortened. */
export function toLineText(
  entry: JournalEntry,
  place: { readonly seq: number; readonly prev?: string; readonly at: string },
): string {
  const text = JSON.stringify({ v: 1, ...place, ...entry })
  if (Buffer.byteLength(text) <= MAX_LINE_BYTES) return text
  const { llm, ...rest } = entry as DecisionEntry
  const short = {
    ...rest,
    reason: String(rest.reason).slice(0, SHORT_REASON),
    codes: rest.codes?.slice(0, 50),
    ...(llm === undefined ? {} : { llm: { ...llm, reason: llm.reason?.slice(0, SHORT_REASON) } }),
  }
  return JSON.stringify({ v: 1, ...place, ...short })
}
