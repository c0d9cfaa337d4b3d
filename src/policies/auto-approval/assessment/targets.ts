import type { JsonValue } from '../../../types/json.ts'
import type { Ground } from '../paths/ground.ts'
import type { PathRole } from '../paths/judge.ts'
import { isMutating } from '../paths/judge.ts'
import { judgePath } from '../paths/judge-path.ts'
import type { Findings, Layer } from './findings.ts'

export interface TargetLook {
  readonly ground: Ground
  readonly findings: Findings
  readonly folder: string | undefined
  readonly layer: Layer
  /** Missing files are written down as what the call will create. */
  readonly plans: boolean
}

/** Judges an argument that names a file; returns the codes that it brought. */
export function judgeTarget(
  value: JsonValue | undefined,
  role: PathRole,
  look: TargetLook,
): readonly string[] {
  const { ground, findings, folder, layer } = look
  if (typeof value !== 'string') {
    const code = isMutating(role) ? 'TARGET_UNREADABLE' : 'DYNAMIC_READ'
    findings.add({ code, layer })
    return [code]
  }
  const { codes, linkCodes, target, creates } = judgePath([value], role, ground, folder)
  if (target !== undefined) findings.look(target)
  for (const code of codes) findings.add({ code, layer, target })
  for (const code of linkCodes) findings.add({ code, layer: 'links', target })
  if (creates !== undefined && look.plans) findings.create(creates)
  return [...codes, ...linkCodes]
}
