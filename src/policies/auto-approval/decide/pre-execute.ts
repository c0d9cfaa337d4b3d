import type { PreDecision, PreListener } from '../../../types/decision.ts'
import type { DecisionSource } from '../journals/records.ts'
import { classify } from '../models/classifier.ts'
import { composeEvidence, selectTrusted } from '../models/evidence.ts'
import { FINALITY } from '../feedback/feedback.ts'
import { commitAllow } from './commit.ts'
import type { DecidedCall } from './executions.ts'
import type { InForce } from './in-force.ts'
import type { Parts } from './parts.ts'
import { describeCodes } from './texts.ts'
import {
  codesOf,
  directiveOf,
  listedOf,
  refuse,
  ruleOf,
  shown,
  type DenyDetails,
} from './verdicts.ts'

const ALLOW: PreDecision = Object.freeze({ kind: 'allow' })

/** The pack's listener of `tools/pre-execute`: what lists, rules, categories and a model settle. */
export function createPreListener(parts: Parts): PreListener {
  return async (exec, next) => {
    const call = parts.executions.of(exec)
    if (!call.place.governed) return next()
    begin(call, parts)
    const step = await decide(call, parts)
    switch (step.kind) {
      case 'deny':
        return deny(call, step.source, parts, step.details)
      case 'ask':
        return { kind: 'ask', reason: describeCodes([...call.notes, ...askCodes(call, step.code)]) }
      case 'allow':
        return allow(call, step, next, parts)
    }
  }
}

/** What the steps in front of a question come to. */
type Step =
  | { readonly kind: 'deny'; readonly source: DecisionSource; readonly details?: DenyDetails }
  | { readonly kind: 'ask'; readonly code?: string }
  | { readonly kind: 'allow'; readonly source: DecisionSource; readonly details?: DenyDetails }

function begin(call: DecidedCall, { artifacts, notices }: Parts): void {
  const { root, exec, place, assessed, key } = call
  artifacts.plan(exec.token, assessed.assessment.plannedCreates)
  root.loop.see(key)
  if (root.modeChanged) notices.add(place.root, exec.agent, exec.token, 'mode-changed')
  root.modeChanged = false
  if (root.onboarded) return
  root.onboarded = true
  notices.add(place.root, exec.agent, exec.token, 'onboarding')
}

async function decide(call: DecidedCall, parts: Parts): Promise<Step> {
  const inForce = parts.inForce()
  const { assessment } = call.assessed
  if (assessment.decision === 'deny') return { kind: 'deny', source: 'hard-deny' }
  const listed = decideByOperator(call, inForce, parts)
  if (listed !== undefined) return listed
  const directive = directiveOf(call, inForce)
  if (assessment.locked || directive.directive === 'ask') return { kind: 'ask' }
  if (assessment.decision === 'allow') return gateLoop(call, 'static-allow', inForce, parts)
  const { root } = call
  const mode = root.mode ?? inForce.settings.defaultReviewMode
  const { classifier } = inForce.settings
  const isOff =
    !inForce.settings.enabled ||
    mode === 'manual' ||
    root.breaker.isTripped(inForce.settings.breaker)
  if (!assessment.eligible || classifier === undefined || isOff) return { kind: 'ask' }
  return askClassifier(call, inForce, parts)
}

function decideByOperator(call: DecidedCall, inForce: InForce, parts: Parts): Step | undefined {
  const { locked } = call.assessed.assessment
  const rule = ruleOf(call, inForce, parts)
  if (rule?.decide === 'deny') {
    return { kind: 'deny', source: 'rule-deny', details: { rule: rule.id } }
  }
  if (rule?.decide === 'human') return { kind: 'ask' }
  if (rule?.decide === 'allow') {
    if (locked) return { kind: 'ask' }
    return { kind: 'allow', source: 'rule-allow', details: { rule: rule.id } }
  }
  const listed = listedOf(call, inForce)
  if (listed === 'deny') return { kind: 'deny', source: 'denylist-deny' }
  const directive = directiveOf(call, inForce)
  if (directive.directive === 'deny') {
    return { kind: 'deny', source: 'category-deny', details: { directive: 'deny' } }
  }
  if (listed === 'human') return { kind: 'ask' }
  if (listed !== 'allow') return undefined
  return locked ? { kind: 'ask' } : { kind: 'allow', source: 'allowlist-allow' }
}

async function askClassifier(call: DecidedCall, inForce: InForce, parts: Parts): Promise<Step> {
  const { settings } = inForce
  if (settings.classifier === undefined) return { kind: 'ask' }
  const { exec, place, assessed, root } = call
  const source = {
    name: exec.name,
    arguments: exec.arguments,
    description: parts.host.descriptionOf(exec),
    workspace: place.cwd,
    assessed,
    trusted: selectTrusted(parts.host.userMessages(place.root)),
  }
  const evidence = composeEvidence(source, settings.positionMode)
  const said = await classify(parts.models, settings.classifier, evidence, exec.signal)
  if (said.kind === 'failed') {
    call.notes.push('CLASSIFIER_UNAVAILABLE')
    return { kind: 'ask' }
  }
  const llm = {
    role: 'classifier' as const,
    decision: said.decision,
    reason: said.reason,
    ms: said.ms,
  }
  call.llm = llm
  if (said.decision === 'ask') return { kind: 'ask' }
  if (said.decision === 'allow') return gateLoop(call, 'classifier-allow', inForce, parts, { llm })
  root.breaker.denied(describeCodes(codesOf(call)))
  return { kind: 'deny', source: 'classifier-deny', details: { llm, showsBreaker: true } }
}

const LOOP_EXEMPT: ReadonlySet<string> = new Set(['session', 'delegate'])

function gateLoop(
  call: DecidedCall,
  source: DecisionSource,
  inForce: InForce,
  parts: Parts,
  details: DenyDetails = {},
): Step {
  if (isLooping(call, inForce, parts)) return { kind: 'ask', code: 'LOOP_GUARD' }
  return { kind: 'allow', source, details: { ...details, ...shown(call, inForce) } }
}

/** Counts an allow that no person gives; true once it is one too many, and then the call is marked. */
export function isLooping(call: DecidedCall, { settings }: InForce, parts: Parts): boolean {
  const { root, key, assessed, exec } = call
  if (assessed.pollable || LOOP_EXEMPT.has(assessed.toolClass)) return false
  if (!root.loop.isTooMany(key, settings.loopThreshold)) return false
  call.isLoop = true
  call.notes.push('LOOP_GUARD')
  parts.recorder.observe({ kind: 'loop-guard', exec: call.id, tool: exec.name })
  return true
}

// Whoever is behind may still ask or refuse; an allow that changes nothing is not recorded.
async function allow(
  call: DecidedCall,
  { source, details }: Step & { readonly kind: 'allow' },
  next: () => Promise<PreDecision>,
  parts: Parts,
): Promise<PreDecision> {
  const behind = await next()
  if (behind.kind !== 'allow') return ALLOW
  const commit = await commitAllow(call, source, parts, details)
  if (commit !== 'denied') return ALLOW
  const code = call.source === 'target-changed' ? 'TARGET_CHANGED' : 'AUDIT_UNAVAILABLE'
  return { kind: 'deny', reason: toReason(call, [code]) }
}

function deny(
  call: DecidedCall,
  source: DecisionSource,
  parts: Parts,
  details: DenyDetails = {},
): PreDecision {
  const codes = refuse(call, source, parts, details)
  return { kind: 'deny', reason: toReason(call, codes) }
}

function toReason(call: DecidedCall, codes: readonly string[]): string {
  return `the call of '${call.exec.name}' is refused: ${describeCodes(codes)}. ${FINALITY}`
}

// What is asked about, not what is fine.
function askCodes(call: DecidedCall, code: string | undefined): readonly string[] {
  const { reasons } = call.assessed.assessment
  const asking = reasons.filter(({ severity }) => severity !== 'low').map((reason) => reason.code)
  const lead = code === undefined || call.notes.includes(code) ? [] : [code]
  return [...lead, ...(asking.length > 0 ? asking : codesOf(call))]
}
