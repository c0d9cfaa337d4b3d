import type { Adjudicator } from '../../../approval/service.ts'
import type { ApprovalOutcome } from '../../../types/decision.ts'
import type { DecisionSource } from '../journals/records.ts'
import { commit, type Case } from './case.ts'
import { askHuman, askPlainly, type Timing } from './human.ts'
import { passLearned } from './learned.ts'
import type { Parts } from './parts.ts'
import { isLooping } from './pre-execute.ts'
import { mayClaim, reviewTier, type EffectiveTier } from './tiers.ts'
import { directiveOf, listedOf, refuse, ruleOf, type DenyDetails } from './verdicts.ts'

/** Decides every ask: rules, lists and categories again, then models and people. */
export function createAdjudicator(parts: Parts): Adjudicator {
  return {
    adjudicate(ask) {
      const call = parts.executions.of(ask.call.exec)
      const inForce = parts.inForce()
      if (!call.place.governed || !inForce.settings.enabled) return askPlainly(call, ask, parts)
      return adjudicate({ call, ask, inForce, parts })
    },
  }
}

async function adjudicate(given: Case): Promise<ApprovalOutcome> {
  const { call, inForce, parts } = given
  const { settings } = inForce
  const { assessment } = call.assessed
  const { root } = call
  if (assessment.decision === 'deny') return reject(given, 'policy-deny')
  const untimed: Timing = { seconds: settings.humanDeadlineSeconds, onTimeout: 'reject' }
  const high: Timing = { seconds: settings.highSeconds, onTimeout: 'reject' }
  const directive = directiveOf(call, inForce)
  const isFixed = assessment.locked || directive.directive === 'ask'
  const rule = ruleOf(call, inForce, parts)
  if (rule?.decide === 'deny') return reject(given, 'rule-deny', { rule: rule.id })
  if (rule?.decide === 'human') return askHuman(given, untimed)
  if (rule?.decide === 'allow') {
    return assessment.locked
      ? askHuman(given, high)
      : commit(given, 'rule-allow', { rule: rule.id })
  }
  const listed = listedOf(call, inForce)
  if (listed === 'deny') return reject(given, 'denylist-deny')
  if (directive.directive === 'deny') return reject(given, 'category-deny', { directive: 'deny' })
  const tier = tierOf(given)
  const isManual = (root.mode ?? settings.defaultReviewMode) === 'manual'
  const isTripped = root.breaker.isTripped(settings.breaker)
  // Counted here only where a model's word could settle it.
  const claimable =
    !isFixed && !isManual && !isTripped && listed === undefined && mayClaim(tier, settings)
  if (call.isLoop || (claimable && isLooping(call, inForce, parts))) return askHuman(given, high)
  if (listed === 'allow' && !assessment.locked) return commit(given, 'allowlist-allow')
  if (isFixed) return askHuman(given, high)
  if (listed === 'human') return askHuman(given, untimed)
  if (root.lasting.has(call.key)) return commit(given, 'human-allow')
  if (isManual) return askHuman(given, untimed)
  if (isTripped) {
    return askHuman(given, untimed, { recentDenials: root.breaker.recent })
  }
  const learned = await passLearned(given, tier)
  return learned ?? reviewTier(given, tier)
}

function tierOf({ call, inForce }: Case): EffectiveTier {
  const { assessment } = call.assessed
  // Another listener's ask on a call that would have passed.
  if (assessment.decision === 'allow' || directiveOf(call, inForce).lowered) return 'LOW'
  return assessment.tier === 'MEDIUM' ? 'MEDIUM' : 'HIGH'
}

function reject(
  { call, parts }: Case,
  source: DecisionSource,
  details: DenyDetails = {},
): ApprovalOutcome {
  refuse(call, source, parts, details)
  return 'rejected'
}
