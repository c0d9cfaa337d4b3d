import { categoryDirective } from '../categories.ts'
import type { CategoryDirective } from '../assessor-types.ts'
import type { DecisionSource } from '../journals/records.ts'
import type { RuleMatch } from '../rules/types.ts'
import type { DecidedCall } from './executions.ts'
import type { InForce } from './in-force.ts'
import type { ListVerdict } from './lists.ts'
import type { DecisionDetails } from './recorder.ts'
import type { Parts } from './parts.ts'

/** Codes that a denial from each source carries in front of those of the assessment. */
const SOURCE_CODES: Partial<Record<DecisionSource, string>> = {
  'rule-deny': 'RULE_DENY',
  'denylist-deny': 'LIST_DENY',
  'category-deny': 'CATEGORY_DENY',
  'classifier-deny': 'CLASSIFIER_DENY',
  'review-deny': 'REVIEW_DENY',
  'human-deny': 'HUMAN_DENY',
  'program-deny': 'HUMAN_DENY',
  'timeout-deny': 'TIMEOUT_DENY',
  'unattended-deny': 'UNATTENDED_DENY',
  'audit-deny': 'AUDIT_UNAVAILABLE',
  'target-changed': 'TARGET_CHANGED',
}

/** Codes of the assessment, the lead first. */
export function codesOf({ assessed }: DecidedCall): readonly string[] {
  return [...new Set(assessed.assessment.reasons.map(({ code }) => code))]
}

/** What the category switches say now; computed afresh at every step. */
export function directiveOf(call: DecidedCall, { settings }: InForce): CategoryDirective {
  const { positionMode, categories: labels } = settings
  return categoryDirective(call.assessed.assessment, { positionMode, labels })
}

/** What the lists say of a call. */
export function listedOf({ exec, assessed }: DecidedCall, { lists }: InForce): ListVerdict {
  return lists.verdict(exec.name, assessed.toolClass)
}

/** The declared rule that covers the call; in a dry run it is only recorded. */
export function ruleOf(call: DecidedCall, inForce: InForce, parts: Parts): RuleMatch | undefined {
  const { exec, place, assessed } = call
  const caller = { agent: place.agent, isSubagent: place.isSubagent, workspace: place.cwd }
  const match = inForce.rules.match(exec, assessed, caller)
  if (match === undefined || !inForce.settings.rulesDryRun) return match
  const { id: rule, decide: decision } = match
  parts.recorder.observe({ kind: 'rule-would', exec: call.id, tool: exec.name, rule, decision })
  return undefined
}

/** The directive, when the category layer took part. */
export function shown(call: DecidedCall, inForce: InForce): { readonly directive?: string } {
  const { directive, recorded } = directiveOf(call, inForce)
  return recorded ? { directive } : {}
}

export type DenyDetails = Partial<Omit<DecisionDetails, 'source' | 'outcome' | 'codes'>> & {
  /** What the timer waited. */
  readonly seconds?: number
}

/** Refuses a call: the record is queued, the model is told once the result comes by. */
export function refuse(
  call: DecidedCall,
  source: DecisionSource,
  parts: Parts,
  { seconds, ...details }: DenyDetails = {},
): readonly string[] {
  const { exec, assessed, place } = call
  const code = SOURCE_CODES[source]
  const loop = call.isLoop && source === 'timeout-deny' ? ['LOOP_DENY'] : []
  const codes = [...(code === undefined ? [] : [code]), ...loop, ...codesOf(call)]
  const outcome = source === 'unavailable' ? 'unavailable' : 'denied'
  parts.recorder.note(call, { source, outcome, codes, ...details })
  parts.host.setCodes(exec, codes)
  const { category } = assessed.assessment
  parts.feedback.mark(exec.token, {
    source,
    tool: exec.name,
    category,
    ...(seconds === undefined ? {} : { seconds }),
  })
  if (GUIDED.has(source)) {
    parts.notices.add(place.root, exec.agent, exec.token, 'reject-guidance')
  }
  return codes
}

const GUIDED: ReadonlySet<DecisionSource> = new Set([
  'rule-deny',
  'denylist-deny',
  'category-deny',
  'human-deny',
])
