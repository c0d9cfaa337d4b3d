import type { Execution } from './call.ts'
import type { FileObservation, FileTarget } from './events.ts'

/** How a file may be written: undefined means whatever is there. */
export type WriteIntent =
  | { readonly kind: 'createIfAbsent' }
  | { readonly kind: 'replaceIfVersion'; readonly version: string }

/** What a change builds on: undefined means whatever is there. */
export interface EditIntent {
  readonly version: string
}

/** Decides under which condition a file is written. The first that answers without `next()` decides. */
export type WriteIntentListener = (
  target: FileTarget,
  actor: Execution,
  next: () => Promise<WriteIntent | undefined>,
) => WriteIntent | undefined | Promise<WriteIntent | undefined>

/** The same for a change of a file that is there. */
export type EditIntentListener = (
  target: FileTarget,
  actor: Execution,
  next: () => Promise<EditIntent | undefined>,
) => EditIntent | undefined | Promise<EditIntent | undefined>

/** Told what was seen of a file, after the fact. */
export type FileObserver = (
  target: FileTarget,
  observation: FileObservation,
  actor: Execution,
) => unknown
