import type { ApprovalOutcome } from '../../../types/decision.ts'
import { toSignature } from '../learning/signature.ts'
import { commit, type Case } from './case.ts'
import { reviewCall, toNote, toOpinion } from './review-call.ts'
import type { EffectiveTier } from './tiers.ts'
import { directiveOf } from './verdicts.ts'

const MAX_LEARNED = 50

/** Lets pass what people allowed often enough before, if the reviewer clearly agrees this time. */
export async function passLearned(
  given: Case,
  tier: EffectiveTier,
): Promise<ApprovalOutcome | undefined> {
  const { call, ask, inForce, parts } = given
  const { learning } = inForce.settings
  if (!learning.enabled || tier === 'HIGH' || inForce.settings.reviewer === undefined)
    return undefined
  const key = keyOf(given)
  if (key === undefined || !parts.learning.isKnown(key, learning)) return undefined
  const { root, id } = call
  if (root.learned >= MAX_LEARNED) {
    parts.recorder.observe({ kind: 'learning-cap', exec: id, root: root.key })
    return undefined
  }
  const signal = AbortSignal.any([ask.signal, parts.closing])
  const until = parts.clock.now() + inForce.settings.mediumSeconds * 1_000
  const said = await reviewCall(given, signal, until)
  if (said === undefined) return undefined
  const opinion = toOpinion(said, true)
  if (opinion.kind !== 'claim' || opinion.decision !== 'allow') return undefined
  const outcome = await commit(given, 'learned-allow', { llm: toNote(said) })
  if (outcome === 'allowed-once') root.learned += 1
  return outcome
}

/** Remembers what a person said about calls of this shape. */
export function noteLearned(given: Case, decision: 'allow' | 'reject'): void {
  const { inForce, parts, call } = given
  if (!inForce.settings.learning.enabled) return
  const key = keyOf(given)
  if (key === undefined) return
  if (decision === 'allow') return parts.learning.allowed(key)
  parts.learning.rejected(key)
  parts.recorder.observe({ kind: 'learning-reset', exec: call.id, tool: call.exec.name })
}

function keyOf({ call, inForce, parts }: Case): string | undefined {
  if (directiveOf(call, inForce).directive === 'ask') return undefined
  const signature = toSignature(call.exec, call.assessed, call.place.cwd)
  return signature === undefined ? undefined : parts.digest(signature)
}
