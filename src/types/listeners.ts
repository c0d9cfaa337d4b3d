import type { Execution, ToolProgress } from './call.ts'
import type { CapabilityRecord } from './capability.ts'
import type {
  ApprovalListener,
  AroundListener,
  Disposer,
  PostListener,
  PreListener,
  ResultObserver,
} from './decision.ts'
import type { SessionEventType, SessionLine } from './events.ts'
import type { EditIntentListener, FileObserver, WriteIntentListener } from './file-gates.ts'

/** What a listener of each event is called with, and what it may answer. */
export interface HostListeners {
  'tools/pre-execute': PreListener
  'tools/execute': AroundListener
  'tools/post-execute': PostListener
  'approval/request': ApprovalListener
  'tools/result': ResultObserver
  'tools/change': () => unknown
  'tools/progress': (exec: Execution, update: ToolProgress) => unknown
  'tools/capability': (exec: Execution, entry: CapabilityRecord) => unknown
  'fs/write-intent': WriteIntentListener
  'fs/edit-intent': EditIntentListener
  'fs/observed': FileObserver
  diagnostic: (text: string) => unknown
}

/** Session events are observed; what a listener returns is ignored. One of them has a shape of its own. */
type SessionListeners = {
  [T in Exclude<SessionEventType, 'fs/observed'>]: (
    line: Extract<SessionLine, { readonly type: T }>,
  ) => unknown
}

export type EventListeners = HostListeners & SessionListeners

export interface ListenOptions {
  /** In front of all listeners there are: the last one prepended is outermost. */
  readonly prepend?: boolean
}

/**
 * Adds a listener and returns what removes it. Throws `CONFIG_INVALID` for a name that nobody emits.
 * The second form is for names that are only known at run time.
 */
export interface Subscribe {
  <E extends keyof EventListeners>(
    event: E,
    fn: EventListeners[E],
    options?: ListenOptions,
  ): Disposer
  (event: string, fn: unknown, options?: ListenOptions): Disposer
}
