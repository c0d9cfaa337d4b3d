import { randomUUID } from 'node:crypto'
import type { Asks } from '../../approval/asks.ts'
import type { Clock } from '../../approval/clock.ts'
import type { Execution } from '../../types/call.ts'
import type { Artifacts } from './artifacts/artifacts.ts'
import type { Assessor } from './assessor-types.ts'
import { createExecutions } from './decide/executions.ts'
import type { InForce } from './decide/in-force.ts'
import type { Parts } from './decide/parts.ts'
import { createRecorder } from './decide/recorder.ts'
import { createRoots } from './decide/roots.ts'
import { createFeedback } from './feedback/feedback.ts'
import type { PackHost } from './host-seam.ts'
import { createAudit } from './journals/audit.ts'
import { createHistory, type History } from './journals/history.ts'
import { openJournalFolder } from './journals/open.ts'
import { openLearning } from './learning/store.ts'
import { createModelTransport } from './models/transport.ts'
import { createNoticeQueue } from './notices/notices.ts'
import type { ApprovalSeams } from './seams.ts'
import type { AssessedCall } from './types.ts'

export interface PackOptions {
  readonly host: PackHost
  readonly clock: Clock
  readonly stateDir: string
  readonly inForce: () => InForce
  readonly assessor: Assessor
  /** Cached by the host: guards and pack see the same reading. */
  readonly assess: (exec: Execution) => AssessedCall
  readonly artifacts: Artifacts
  readonly asks: Asks
  readonly readKey: (name: string) => string | undefined
  readonly seams: ApprovalSeams
}

/** The parts of a pack, and how they end. */
export interface OpenParts {
  readonly parts: Parts
  readonly history: History
  shut(): void
  close(): Promise<void>
}

/** Opens everything a pack works with. Throws `CONFIG_INVALID` for an unusable state folder. */
export function openParts(options: PackOptions): OpenParts {
  const { host, clock, inForce, assessor, assess, artifacts, asks, seams } = options
  const { diagnose } = host
  const { sync } = inForce().settings.audit
  const folder = openJournalFolder({
    stateDir: options.stateDir,
    kind: seams.journal ?? 'shared',
    id: randomUUID(),
    sync,
  })
  const store = seams.store ?? folder.store
  const limits = (): InForce['settings']['audit'] => inForce().settings.audit
  const audit = createAudit({ store, clock, limits, diagnose })
  const history = createHistory(folder.ownsHistory ? folder.path : undefined, diagnose)
  const closing = new AbortController()
  const roots = createRoots()
  const models = seams.models ?? createModelTransport({ clock, readKey: options.readKey })
  const { digest } = folder
  const notices = createNoticeQueue({
    clock,
    switches: () => inForce().settings,
    inject: host.inject,
    onStepEnd: host.onStepEnd,
    diagnose,
  })
  const parts: Parts = {
    host,
    clock,
    inForce,
    assessor,
    roots,
    asks,
    models,
    artifacts,
    digest,
    notices,
    closing: closing.signal,
    executions: createExecutions({ host, roots, now: clock.now, assess }),
    recorder: createRecorder({ audit, history, clock, inForce, digest, diagnose }),
    feedback: createFeedback(clock),
    learning: openLearning(folder.ownsHistory ? folder.path : undefined, clock, diagnose),
  }
  return {
    parts,
    history,
    shut: () => closing.abort(),
    async close() {
      closing.abort()
      await audit.close()
      await Promise.all([history.settle(), models.close()])
      folder.release()
    },
  }
}
