import type { DecisionSource } from '../journals/records.ts'
import type { DecidedCall } from './executions.ts'
import type { Parts } from './parts.ts'
import { codesOf, refuse, type DenyDetails } from './verdicts.ts'

/** What became of an allow at its gate. */
export type Commit = 'allowed' | 'denied' | 'cancelled'

/**
 * The one way in which an allow of the pack takes effect: the call still waits, its targets are what
 * they were, and the record is stored. Anything else refuses it.
 */
export async function commitAllow(
  call: DecidedCall,
  source: DecisionSource,
  parts: Parts,
  details: DenyDetails = {},
): Promise<Commit> {
  const { host, assessor, recorder } = parts
  if (host.isOver(call.exec) || parts.closing.aborted) {
    recorder.note(call, { source: 'cancelled', outcome: 'cancelled', codes: codesOf(call) })
    return 'cancelled'
  }
  if (!assessor.isUnchanged(call.assessed.targets)) {
    refuse(call, 'target-changed', parts, details)
    return 'denied'
  }
  const { seconds: _waited, ...recorded } = details
  const entry = { source, outcome: 'allowed' as const, codes: codesOf(call), ...recorded }
  if (await recorder.gate(call, entry)) return noteModel(call, source, parts)
  refuse(call, 'audit-deny', parts, details)
  return 'denied'
}

function noteModel(call: DecidedCall, source: DecisionSource, { notices }: Parts): Commit {
  const { exec, place } = call
  const kind =
    source === 'classifier-allow' || source === 'review-allow'
      ? 'model-approved'
      : source === 'learned-allow'
        ? 'learned-allow'
        : undefined
  if (kind !== undefined) notices.add(place.root, exec.agent, exec.token, kind)
  return 'allowed'
}
