import type { Clock } from '../../approval/clock.ts'
import type { Assessor, FileView } from './assessor-types.ts'
import type { ApprovalConfig } from './config/settings.ts'
import type { AuditStore } from './journals/store.ts'
import type { ModelTransport } from './models/transport.ts'

/** Key of what is swapped out beside the settings under `approval`. */
export const APPROVAL_SEAMS: unique symbol = Symbol('caisson.approval')

/** Where a pack touches the world. */
export interface ApprovalSeams {
  readonly clock?: Clock
  readonly files?: FileView
  readonly store?: AuditStore
  readonly models?: ModelTransport
  readonly assessor?: Assessor
  /** `run`: the journal of one command, beside others. Default `shared`. */
  readonly journal?: 'shared' | 'run'
  /** Whether the operator has named this tool for this very run: as good as a place in the allowlist. */
  readonly isCommanded?: (tool: string) => boolean
  /** Home folder of the user, for what is critical in it. */
  readonly home?: string
}

/** Settings with what is swapped out beside them. */
export function withSeams(settings: ApprovalConfig, seams: ApprovalSeams): ApprovalConfig {
  return Object.freeze(Object.assign({ ...settings }, { [APPROVAL_SEAMS]: seams }))
}
