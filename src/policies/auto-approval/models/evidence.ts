import type { PositionMode } from '../assessor-types.ts'
import type { AssessedCall } from '../types.ts'
import type { JsonValue } from '../../../types/json.ts'
import { cutText } from '../../../cards/escape.ts'
import { redactText } from '../redaction/redact.ts'
import { sanitizeArguments } from './sanitize.ts'

/** What users themselves said, oldest first, and how many of their messages are not here. */
export interface TrustedMessages {
  readonly messages: readonly string[]
  readonly leftOut: number
}

/** The document the first model judges. */
export interface Evidence {
  readonly tool: string
  readonly arguments: JsonValue
  readonly workspace: string
  readonly reasonCodes: readonly string[]
  readonly tier: string
  readonly positionMode: PositionMode
  readonly trustedUserMessages: readonly string[]
  readonly userMessagesLeftOut: number
}

/** The document the second model judges: nothing of what others think. */
export interface ReviewEvidence {
  readonly tool: string
  readonly description: string
  readonly arguments: JsonValue
  readonly workspace: string
  readonly primaryTarget: string | null
  readonly targetInsideWorkspace: boolean | null
  readonly trustedUserMessages: readonly string[]
  readonly userMessagesLeftOut: number
}

/** What evidence is made of. */
export interface EvidenceSource {
  readonly name: string
  readonly arguments: JsonValue
  readonly description: string
  readonly workspace: string
  readonly assessed: AssessedCall
  readonly trusted: TrustedMessages
}

const MAX_MESSAGES = 4
const MAX_MESSAGE = 1_000
const MAX_TOTAL = 4_000

/** Composes the first model's document. */
export function composeEvidence(source: EvidenceSource, positionMode: PositionMode): Evidence {
  const { assessment } = source.assessed
  return {
    tool: source.name,
    arguments: sanitizeArguments(source.arguments).value,
    workspace: source.workspace,
    reasonCodes: [...new Set(assessment.reasons.map(({ code }) => code))],
    tier: assessment.tier,
    positionMode,
    trustedUserMessages: source.trusted.messages,
    userMessagesLeftOut: source.trusted.leftOut,
  }
}

/** Composes the second model's document. */
export function composeReviewEvidence(source: EvidenceSource): ReviewEvidence {
  const [target] = source.assessed.targets
  const path = target?.resolved ?? target?.path
  return {
    tool: source.name,
    description: cutText(redactText(source.description), MAX_MESSAGE),
    arguments: sanitizeArguments(source.arguments).value,
    workspace: source.workspace,
    primaryTarget: path === undefined ? null : redactText(path),
    targetInsideWorkspace: path === undefined ? null : isInside(path, source.workspace),
    trustedUserMessages: source.trusted.messages,
    userMessagesLeftOut: source.trusted.leftOut,
  }
}

/** Of what users said, oldest first: the newest four without repetitions, masked and cut. */
export function selectTrusted(texts: readonly string[]): TrustedMessages {
  const unique = [...new Set(texts.toReversed())]
  const chosen: string[] = []
  let total = 0
  for (const text of unique) {
    const shown = cutText(redactText(text), MAX_MESSAGE)
    if (chosen.length >= MAX_MESSAGES || total + shown.length > MAX_TOTAL) break
    chosen.unshift(shown)
    total += shown.length
  }
  return { messages: chosen, leftOut: unique.length - chosen.length }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
