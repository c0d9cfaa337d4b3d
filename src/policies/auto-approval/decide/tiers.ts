import type { ApprovalOutcome } from '../../../types/decision.ts'
import type { ApprovalSettings } from '../config/settings.ts'
import type { ModelNote } from '../journals/records.ts'
import { cancel, commit, type Case } from './case.ts'
import type { DecidedCall } from './executions.ts'
import { askHuman, type Timing } from './human.ts'
import type { Parts } from './parts.ts'
import { reviewCall, toNote, toOpinion } from './review-call.ts'
import { describeCodes } from './texts.ts'
import { codesOf, refuse } from './verdicts.ts'

/** How an ask is treated that no rule, list, category or switch has settled. */
export type EffectiveTier = 'LOW' | 'MEDIUM' | 'HIGH'

const RANK = { none: -1, LOW: 0, MEDIUM: 1, HIGH: 2 } as const

function markUnavailable({ exec, assessed }: DecidedCall, { feedback }: Parts): void {
  const { category } = assessed.assessment
  feedback.mark(exec.token, { source: 'review-unavailable', tool: exec.name, category })
}

/** Whether a reviewer is configured that looks at this tier. */
function isReviewed(tier: EffectiveTier, { reviewer }: ApprovalSettings): boolean {
  return reviewer !== undefined && RANK[tier] >= RANK[reviewer.from]
}

/** Whether the reviewer's word may settle an ask of this tier; never for HIGH. */
export function mayClaim(tier: EffectiveTier, settings: ApprovalSettings): boolean {
  const { reviewer } = settings
  if (reviewer === undefined || tier === 'HIGH' || !isReviewed(tier, settings)) return false
  return RANK[tier] <= RANK[reviewer.decides]
}

/** The race of people, programs, the timer and, where it may, the reviewer. */
export async function reviewTier(given: Case, tier: EffectiveTier): Promise<ApprovalOutcome> {
  const { settings } = given.inForce
  const timing = timingOf(tier, settings)
  const claims = mayClaim(tier, settings)
  const mode = given.call.root.mode ?? settings.defaultReviewMode
  if (mode === 'unattended') return claims ? reviewAlone(given, timing) : askHuman(given, timing)
  if (!isReviewed(tier, settings)) return askHuman(given, timing)
  let note: ModelNote | undefined
  return askHuman(given, timing, {
    quietMs: claims ? settings.promptDelayMs : 0,
    note: () => note,
    async review(signal, deadline) {
      const said = await reviewCall(given, signal, deadline)
      if (said === undefined) return undefined
      note = toNote(said)
      return toOpinion(said, claims)
    },
  })
}

function timingOf(tier: EffectiveTier, settings: ApprovalSettings): Timing {
  const { timeoutAction: action, lowSeconds, mediumSeconds, highSeconds } = settings
  const seconds = { LOW: lowSeconds, MEDIUM: mediumSeconds, HIGH: highSeconds }[tier]
  const lets =
    (tier === 'LOW' && action !== 'reject') || (tier === 'MEDIUM' && action === 'allow-medium')
  return { seconds, onTimeout: lets ? 'allow' : 'reject' }
}

// Nobody will answer: what the reviewer does not clearly allow is refused.
async function reviewAlone(given: Case, { seconds = 0 }: Timing): Promise<ApprovalOutcome> {
  const { call, ask, parts } = given
  const signal = AbortSignal.any([ask.signal, parts.closing])
  const said = await reviewCall(given, signal, parts.clock.now() + seconds * 1_000)
  const llm = said === undefined ? undefined : toNote(said)
  const opinion = said === undefined ? undefined : toOpinion(said, true)
  if (opinion?.kind === 'claim' && opinion.decision === 'allow') {
    return commit(given, 'review-allow', { llm })
  }
  if (signal.aborted) return cancel(given)
  if (opinion?.kind === 'claim') {
    call.root.breaker.denied(describeCodes(codesOf(call)))
    refuse(call, 'review-deny', parts, { llm, showsBreaker: true })
  } else {
    refuse(call, 'unattended-deny', parts, { llm })
    if (said?.kind === 'failed') markUnavailable(call, parts)
  }
  return 'rejected'
}
