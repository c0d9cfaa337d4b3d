import type { Opinion } from '../../../approval/race.ts'
import { composeReviewEvidence, selectTrusted } from '../models/evidence.ts'
import { review, type Review } from '../models/reviewer.ts'
import type { ModelNote } from '../journals/records.ts'
import type { Case } from './case.ts'
import { toLine } from './question.ts'

/** Asks the second model about a call; undefined when none is configured. Never rejects. */
export function reviewCall(
  { call, inForce, parts }: Case,
  signal: AbortSignal,
  deadline: number,
): Promise<Review> | undefined {
  const { reviewer } = inForce.settings
  if (reviewer === undefined) return undefined
  const { exec, place, assessed } = call
  const evidence = composeReviewEvidence({
    name: exec.name,
    arguments: exec.arguments,
    description: parts.host.descriptionOf(exec),
    workspace: place.cwd,
    assessed,
    trusted: selectTrusted(parts.host.userMessages(place.root)),
  })
  const { models: transport, clock } = parts
  return review({ transport, clock }, { settings: reviewer, evidence, signal, deadline })
}

/** What a review may settle: a claim, or a suggestion. A failure is neither an allow nor a deny. */
export function toOpinion(said: Review, claims: boolean): Opinion {
  if (said.kind === 'failed') return { kind: 'advice', text: `reviewer unavailable (${said.why})` }
  const { decision, risk, reason } = said
  if (claims && decision === 'DENY') return { kind: 'claim', decision: 'reject' }
  const isCalm = risk === undefined || risk === 'LOW' || risk === 'MEDIUM'
  if (claims && decision === 'ALLOW' && isCalm) return { kind: 'claim', decision: 'allow' }
  const about = risk === undefined ? '' : `, risk ${risk}`
  const why = reason === undefined ? '' : `: ${toLine(reason, MAX_SHOWN)}`
  return { kind: 'advice', text: `reviewer says ${decision}${about}${why}` }
}

const MAX_SHOWN = 300

/** A review as the record keeps it. */
export function toNote(said: Review): ModelNote {
  if (said.kind === 'failed') return { role: 'reviewer', decision: said.why, ms: said.ms }
  const { decision, reason, ms } = said
  return { role: 'reviewer', decision, ...(reason === undefined ? {} : { reason }), ms }
}
