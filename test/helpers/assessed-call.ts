import {
  leadCategory,
  orderReasons,
  toReason,
  VERDICTS,
  verdictOf,
} from '../../src/policies/auto-approval/reasons.ts'
import type {
  AssessedCall,
  Assessment,
  CanonicalSegment,
  Target,
} from '../../src/policies/auto-approval/types.ts'

/** What a scripted reading says besides its codes. */
export interface AssessedParts extends Partial<
  Pick<AssessedCall, 'shell' | 'targets' | 'urls' | 'pollable' | 'toolClass'>
> {
  readonly plannedCreates?: Assessment['plannedCreates']
}

/** A reading with the facts that the table of reasons gives these codes. */
export function makeAssessed(codes: readonly string[], parts: AssessedParts = {}): AssessedCall {
  const { plannedCreates = [], targets = [], ...rest } = parts
  const reasons = orderReasons(codes.map((code) => toReason(code, targets)))
  const verdict =
    VERDICTS.find((known) => reasons.some((reason) => verdictOf(reason) === known)) ?? 'allow'
  const asks = reasons.filter((reason) => reason.severity !== 'low')
  const isDenied = verdict === 'deny'
  const decision = isDenied ? 'deny' : verdict === 'allow' ? 'allow' : 'ask'
  const medium = asks.every(({ severity }) => severity === 'medium')
  return {
    assessment: {
      decision,
      verdict,
      tier: isDenied ? 'DENY' : decision === 'allow' ? 'LOW' : medium ? 'MEDIUM' : 'HIGH',
      category: isDenied ? null : leadCategory(reasons),
      eligible: verdict === 'ask-e',
      locked: verdict === 'ask-l',
      credentialRead: codes.includes('SECRET_READ'),
      reasons,
      plannedCreates,
    },
    guard: undefined,
    toolClass: 'none',
    channel: 'internal',
    shell: undefined,
    urls: [],
    pollable: false,
    ...rest,
    targets,
  }
}

/** A shell line as its segments. */
export function makeShell(
  segments: readonly string[],
  parts: Partial<CanonicalSegment> & { readonly parsed?: boolean; readonly line?: string } = {},
): NonNullable<AssessedCall['shell']> {
  const { parsed = true, line = segments.join(' && '), ...rest } = parts
  return {
    parsed,
    line,
    segments: segments.map((text) => ({
      text,
      command: text.split(' ')[0],
      words: text.split(' '),
      codes: [],
      dynamic: false,
      ...rest,
    })),
  }
}

/** A target that is not there yet. */
export function makeTarget(path: string, role: Target['role'] = 'write'): Target {
  return { role, path, resolved: path }
}
