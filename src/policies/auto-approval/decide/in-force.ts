import { createHash } from 'node:crypto'
import { toCanonicalJson } from '../../canonical-json.ts'
import { resolveApprovalSettings } from '../config/resolve.ts'
import type { ApprovalSettings } from '../config/settings.ts'
import { compileRules, type CompiledRules } from '../rules/compile.ts'
import { compileLists, type Lists } from './lists.ts'

/** Settings, compiled. One object is in force at a time and never changes. */
export interface InForce {
  readonly settings: ApprovalSettings
  readonly rules: CompiledRules
  readonly lists: Lists
  /** Says which settings a record was made under. */
  readonly digest: string
}

/** Checks and compiles settings. Throws `CONFIG_INVALID`; nothing is in force by half. */
export function compileSettings(given: unknown, isCommanded?: (tool: string) => boolean): InForce {
  const settings = resolveApprovalSettings(given)
  const text = toCanonicalJson(JSON.parse(JSON.stringify(settings)))
  return Object.freeze({
    settings,
    rules: compileRules(settings.rules),
    lists: compileLists(settings, isCommanded),
    digest: createHash('sha256').update(text).digest('hex').slice(0, 16),
  })
}
