import type { Adjudicator } from '../../approval/service.ts'
import type { Call } from '../../pipeline/call.ts'
import type { Outcome } from '../../pipeline/outcome.ts'
import type { Execution } from '../../types/call.ts'
import { createAdjudicator } from './decide/adjudicate.ts'
import type { Parts } from './decide/parts.ts'
import { createPreListener } from './decide/pre-execute.ts'
import { createPostListener, createResultObserver } from './decide/results.ts'
import { codesOf } from './decide/verdicts.ts'
import type { History } from './journals/history.ts'
import { openParts, type PackOptions } from './open-parts.ts'
import { redactOutcome } from './redaction/redact-outcome.ts'

export type { PackOptions } from './open-parts.ts'

/** The approval pack of one host, installed. */
export interface ApprovalPack {
  readonly parts: Parts
  readonly history: History
  readonly adjudicator: Adjudicator
  /** Records a denial of the built-in guard. */
  noteGuard(exec: Execution): void
  /** What may be delivered of an outcome. */
  redact(call: Call, outcome: Outcome): Promise<Outcome>
  /** A root session is over: nothing of it is kept. */
  dropSession(root: string): void
  /** Takes every question down. */
  shut(): void
  /** Ends the pack once no call is under way: journals are written out and given back. */
  close(): Promise<void>
}

/**
 * Opens the journals and registers the pack's listeners. Throws `CONFIG_INVALID` when the state
 * folder cannot be used or another host writes there.
 */
export function createApprovalPack(options: PackOptions): ApprovalPack {
  const { host } = options
  const { parts, history, shut, close } = openParts(options)
  const disposers = [
    host.listen('tools/pre-execute', createPreListener(parts), 'approval'),
    host.listen('tools/post-execute', createPostListener(parts), 'approval'),
    host.listen('tools/result', createResultObserver(parts), 'approval'),
  ]
  return {
    parts,
    history,
    adjudicator: createAdjudicator(parts),
    noteGuard(exec) {
      const call = parts.executions.of(exec)
      parts.recorder.note(call, { source: 'guard-deny', outcome: 'denied', codes: codesOf(call) })
    },
    redact: (call, outcome) => redactForDelivery(call, outcome, parts),
    dropSession(root) {
      parts.roots.drop(root)
      parts.artifacts.drop(root)
      parts.notices.drop(root)
    },
    shut,
    async close() {
      for (const dispose of disposers) dispose()
      await close()
    },
  }
}

async function redactForDelivery(call: Call, outcome: Outcome, parts: Parts): Promise<Outcome> {
  const { redactResults } = parts.inForce().settings
  if (redactResults === 'off') return outcome
  const known = parts.executions.peek(call.exec)
  if (known !== undefined && !known.place.governed) return outcome
  const { outcome: shown, count, failed } = await redactOutcome(call, outcome, redactResults)
  const about = { ...(known === undefined ? {} : { exec: known.id }), tool: call.exec.name }
  if (failed) parts.recorder.observe({ kind: 'mask-failed', ...about })
  else if (count > 0) parts.recorder.observe({ kind: 'result-redacted', ...about, count })
  return shown
}
