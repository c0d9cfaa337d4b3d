import { categoryDirective } from '../categories.ts'
import type { JsonValue } from '../../../types/json.ts'
import type { RuleCaller } from '../rules/types.ts'
import type { AssessedCall, Category, RiskTier, Severity } from '../types.ts'
import type { InForce } from './in-force.ts'
import { describeCodes } from './texts.ts'

/** What would become of a call, and who says so. */
export interface Explanation {
  readonly verdict: 'allow' | 'ask' | 'deny'
  /** The lead reason. */
  readonly code: string
  readonly codes: readonly string[]
  readonly severity: Severity
  readonly category: Category | null
  readonly risk: RiskTier
  /** Only a human could allow it. */
  readonly locked: boolean
  /** A model is asked before a human is. */
  readonly eligible: boolean
  /** `guard`, `assessment`, `rule <id>`, `denyList`, `allowlist`, `humanOnlyList` or `category <label>`. */
  readonly by: string
  readonly reason: string
}

export interface ExplainedCall {
  readonly name: string
  readonly arguments: JsonValue
}

/** Says what decides a call under these settings. Runs nothing, asks nobody and records nothing. */
export function explainCall(
  call: ExplainedCall,
  assessed: AssessedCall,
  inForce: Pick<InForce, 'settings' | 'rules' | 'lists'>,
  caller: RuleCaller,
): Explanation {
  const { assessment, guard } = assessed
  const [lead] = assessment.reasons
  const codes = [...new Set(assessment.reasons.map(({ code }) => code))]
  const base = {
    code: lead?.code ?? 'INTERNAL',
    codes,
    severity: lead?.severity ?? ('low' as const),
    category: assessment.category,
    risk: assessment.tier,
  }
  const { verdict, by, locked } = decide(call, assessed, inForce, caller)
  return {
    ...base,
    verdict,
    by,
    locked,
    eligible: verdict === 'ask' && !locked && assessment.eligible,
    reason: by === 'guard' && guard !== undefined ? guard.message : describeCodes(codes),
  }
}

interface Decided {
  readonly verdict: Explanation['verdict']
  readonly by: string
  readonly locked: boolean
}

function decide(
  call: ExplainedCall,
  assessed: AssessedCall,
  { settings, rules, lists }: Pick<InForce, 'settings' | 'rules' | 'lists'>,
  caller: RuleCaller,
): Decided {
  const { assessment } = assessed
  const { positionMode, categories: labels } = settings
  const category = categoryDirective(assessment, { positionMode, labels })
  const locked = assessment.locked || category.locked
  const say = (verdict: Explanation['verdict'], by: string): Decided => ({
    verdict,
    by,
    locked: verdict === 'ask' && locked,
  })
  if (assessed.guard !== undefined) return say('deny', 'guard')
  if (assessment.decision === 'deny') return say('deny', 'assessment')
  const rule = settings.rulesDryRun ? undefined : rules.match(call, assessed, caller)
  if (rule?.decide === 'deny') return say('deny', `rule ${rule.id}`)
  if (rule?.decide === 'human') return say('ask', `rule ${rule.id}`)
  if (rule !== undefined) {
    return assessment.locked ? say('ask', 'assessment') : say('allow', `rule ${rule.id}`)
  }
  const listed = lists.verdict(call.name, assessed.toolClass)
  if (listed === 'deny') return say('deny', 'denyList')
  const label = category.label === undefined ? 'category' : `category ${category.label}`
  if (category.directive === 'deny') return say('deny', label)
  if (listed === 'human') return say('ask', 'humanOnlyList')
  if (listed === 'allow') {
    return assessment.locked ? say('ask', 'assessment') : say('allow', 'allowlist')
  }
  if (assessment.locked) return say('ask', 'assessment')
  if (category.directive === 'ask') return say('ask', label)
  return say(assessment.decision === 'allow' ? 'allow' : 'ask', 'assessment')
}
