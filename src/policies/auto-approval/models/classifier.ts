import type { ClassifierSettings } from '../config/settings.ts'
import { parseAnswerObject } from './envelope.ts'
import type { Evidence } from './evidence.ts'
import { CLASSIFIER_PROMPT } from './prompts.ts'
import type { ModelFailure, ModelTransport } from './transport.ts'

/** What the first model says of an eligible ask. A failure is never an allow and never a deny. */
export type Classification =
  | {
      readonly kind: 'verdict'
      readonly decision: 'allow' | 'ask' | 'deny'
      readonly reason: string
      readonly ms: number
    }
  | { readonly kind: 'failed'; readonly why: ModelFailure; readonly ms: number }

const MAX_REASON = 1_000

/** Asks the first model once, without a retry. Never rejects. */
export async function classify(
  transport: ModelTransport,
  settings: ClassifierSettings,
  evidence: Evidence,
  signal: AbortSignal,
): Promise<Classification> {
  const reply = await transport.ask({
    settings,
    system: CLASSIFIER_PROMPT,
    user: JSON.stringify(evidence),
    timeoutMs: settings.timeoutMs,
    signal,
  })
  if (reply.kind === 'failed') return { kind: 'failed', why: reply.why, ms: reply.ms }
  const answer = parseClassification(reply.text)
  if (answer === undefined) return { kind: 'failed', why: 'malformed', ms: reply.ms }
  return { kind: 'verdict', ...answer, ms: reply.ms }
}

/** Exactly `decision` and `reason`, or nothing. */
function parseClassification(
  text: string,
): { readonly decision: 'allow' | 'ask' | 'deny'; readonly reason: string } | undefined {
  try {
    const { decision, reason, ...rest } = parseAnswerObject(text)
    if (Object.keys(rest).length > 0 || typeof reason !== 'string') return undefined
    if (reason.length < 1 || reason.length > MAX_REASON) return undefined
    if (decision !== 'allow' && decision !== 'ask' && decision !== 'deny') return undefined
    return { decision, reason }
  } catch {
    return undefined
  }
}
