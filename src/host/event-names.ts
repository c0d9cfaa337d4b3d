import { CaissonError } from '../errors/caisson-error.ts'
import type { SessionEventType } from '../types/events.ts'

// A record, so that the type says when a session event is missing.
const SESSION_EVENTS = {
  'step/start': true,
  'tool/call': true,
  'approval/asked': true,
  'approval/decided': true,
  'hook/invoked': true,
  'hook/result': true,
  'fs/observed': true,
  'todo/write': true,
  'tool/log': true,
  'tool/code-dispatch-start': true,
  'tool/code-dispatch': true,
  'tool/result': true,
  'context/message': true,
  'step/end': true,
} as const satisfies Record<SessionEventType, true>

/** Everything `on()` accepts: the waterfalls, the live events, and the session events. */
const EVENT_NAMES: ReadonlySet<string> = new Set([
  'tools/pre-execute',
  'tools/execute',
  'tools/post-execute',
  'approval/request',
  'tools/result',
  'tools/change',
  'tools/progress',
  'tools/capability',
  'fs/write-intent',
  'fs/edit-intent',
  'diagnostic',
  ...Object.keys(SESSION_EVENTS),
])

/** Throws `CONFIG_INVALID` for a name nobody emits: a misspelt policy must not be silently absent. */
export function checkEventName(event: string): void {
  if (EVENT_NAMES.has(event)) return
  const known = [...EVENT_NAMES].join(', ')
  throw new CaissonError('CONFIG_INVALID', `on(): there is no event '${event}'; known: ${known}`, {
    event,
  })
}
