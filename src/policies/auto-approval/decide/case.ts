import type { Ask } from '../../../approval/service.ts'
import type { ApprovalOutcome } from '../../../types/decision.ts'
import type { DecisionSource } from '../journals/records.ts'
import { commitAllow } from './commit.ts'
import type { DecidedCall } from './executions.ts'
import type { InForce } from './in-force.ts'
import type { Parts } from './parts.ts'
import { codesOf, shown, type DenyDetails } from './verdicts.ts'

/** One ask on its way. */
export interface Case {
  readonly call: DecidedCall
  readonly ask: Ask
  readonly inForce: InForce
  readonly parts: Parts
}

/** Lets an allow through its gate and says what the pipeline gets. */
export async function commit(
  { call, inForce, parts }: Case,
  source: DecisionSource,
  details: DenyDetails = {},
): Promise<ApprovalOutcome> {
  const given = { ...shown(call, inForce), ...details }
  const ended = await commitAllow(call, source, parts, given)
  if (ended === 'allowed') return 'allowed-once'
  return ended === 'cancelled' ? 'cancelled' : 'rejected'
}

/** The ask ended from outside: nothing is decided, and that is recorded. */
export function cancel({ call, parts }: Case): ApprovalOutcome {
  parts.recorder.note(call, { source: 'cancelled', outcome: 'cancelled', codes: codesOf(call) })
  return 'cancelled'
}
