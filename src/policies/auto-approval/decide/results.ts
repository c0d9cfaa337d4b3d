import type { CallResult } from '../../../types/call.ts'
import type { PostListener, ResultObserver } from '../../../types/decision.ts'
import type { DecisionSource } from '../journals/records.ts'
import type { DecidedCall } from './executions.ts'
import type { Parts } from './parts.ts'
import { codesOf } from './verdicts.ts'

/** The pack's listener of `tools/post-execute`: says why a call did not run. */
export function createPostListener({ feedback }: Parts): PostListener {
  return (exec, result, next) => feedback.settle(exec.token, result.isError) ?? next()
}

/** The pack's observer of results: what was made is registered, what was left open is recorded. */
export function createResultObserver(parts: Parts): ResultObserver {
  return (exec, result) => {
    const call = parts.executions.peek(exec)
    if (call === undefined || !call.place.governed) return
    const { place } = call
    const root = place.session === undefined ? undefined : place.root
    const made = parts.artifacts.settle(exec.token, root, wentWell(result))
    if (made > 0) parts.recorder.observe({ kind: 'artifact', exec: call.id, count: made })
    parts.notices.seen(place.root, exec.token)
    recordEnd(call, result, parts)
  }
}

function wentWell(result: CallResult): boolean {
  if (result.isError) return false
  const { exitCode } = Object(result.value) as { readonly exitCode?: unknown }
  return exitCode === undefined || exitCode === 0
}

const ENDED: ReadonlySet<string> = new Set([
  'ABORTED',
  'ABORTED_BEFORE_DISPATCH',
  'HOST_CLOSED',
  'AGENT_DISPOSED',
])

// An allow whose call is cancelled afterwards gets a second line; one that nobody decided, its first.
function recordEnd(call: DecidedCall, result: CallResult, { recorder }: Parts): void {
  if (!result.isError) return
  const isOpen = call.source === undefined || call.source.endsWith('-allow')
  const source: DecisionSource | undefined = ENDED.has(result.error.code)
    ? 'cancelled'
    : result.error.code === 'APPROVAL_UNAVAILABLE'
      ? 'unavailable'
      : undefined
  if (!isOpen || source === undefined) return
  const outcome = source === 'cancelled' ? 'cancelled' : 'unavailable'
  recorder.note(call, { source, outcome, codes: codesOf(call) })
}
