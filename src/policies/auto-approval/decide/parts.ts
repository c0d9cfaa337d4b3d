import type { Clock } from '../../../approval/clock.ts'
import type { Assessor } from '../assessor-types.ts'
import type { Asks } from '../../../approval/asks.ts'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Feedback } from '../feedback/feedback.ts'
import type { PackHost } from '../host-seam.ts'
import type { Learning } from '../learning/store.ts'
import type { ModelTransport } from '../models/transport.ts'
import type { NoticeQueue } from '../notices/notices.ts'
import type { Executions } from './executions.ts'
import type { InForce } from './in-force.ts'
import type { Recorder } from './recorder.ts'
import type { Roots } from './roots.ts'

/** What the steps of a decision work with. */
export interface Parts {
  readonly host: PackHost
  readonly clock: Clock
  readonly inForce: () => InForce
  readonly assessor: Pick<Assessor, 'isUnchanged'>
  readonly executions: Executions
  readonly roots: Roots
  readonly recorder: Recorder
  readonly feedback: Feedback
  readonly notices: NoticeQueue
  readonly artifacts: Artifacts
  readonly learning: Learning
  readonly models: ModelTransport
  readonly asks: Asks
  /** Keyed digest of what must not be readable in a file. */
  readonly digest: (text: string) => string
  /** Aborts when the host closes. */
  readonly closing: AbortSignal
}
