import type { Findings } from '../assessment/findings.ts'
import { reasonText } from '../reason-texts.ts'
import type { AssessedCall } from '../types.ts'

/** The fatal reason that is shown, in the order of the guards; undefined when there is none. */
export function toGuardDenial(findings: Findings): AssessedCall['guard'] {
  if (!findings.isFatal()) return undefined
  const first = findings.reasons().find((reason) => reason.severity === 'fatal')
  if (first === undefined) return undefined
  return { code: first.code, message: `${first.code}: this call ${reasonText(first.code)}` }
}
