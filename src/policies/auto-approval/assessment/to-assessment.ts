import { leadCategory, VERDICTS, verdictOf } from '../reasons.ts'
import type { Assessment, Reason, RiskTier, Verdict } from '../types.ts'
import type { Findings } from './findings.ts'

/** The assessment that a call's findings amount to. */
export function toAssessment(findings: Findings): Assessment {
  const reasons = findings.reasons()
  const verdict = strictest(reasons)
  const asks = reasons.filter((reason) => verdictOf(reason).startsWith('ask'))
  return {
    decision: verdict === 'deny' || verdict === 'allow' ? verdict : 'ask',
    verdict,
    tier: tierOf(verdict),
    category: verdict === 'deny' ? null : leadCategory(reasons),
    eligible: verdict === 'ask-e',
    locked: verdict !== 'deny' && asks.some((reason) => reason.locked),
    credentialRead: reasons.some((reason) => reason.code === 'SECRET_READ'),
    reasons,
    plannedCreates: findings.creates().map((path) => ({ path })),
  }
}

function strictest(reasons: readonly Reason[]): Verdict {
  const found = VERDICTS.find((verdict) => reasons.some((reason) => verdictOf(reason) === verdict))
  return found ?? 'ask-h'
}

function tierOf(verdict: Verdict): RiskTier {
  switch (verdict) {
    case 'allow':
      return 'LOW'
    case 'ask-e':
      return 'MEDIUM'
    case 'deny':
      return 'DENY'
    default:
      return 'HIGH'
  }
}
