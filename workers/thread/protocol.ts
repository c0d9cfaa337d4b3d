import type { MessagePort } from 'node:worker_threads'
import type { AbortReason, BrokerAnswer, RealmRequest } from '../isolate/protocol.ts'

/** Gives a booted worker its source. Answered with the description as JSON text. */
export interface OpenTask {
  /** A ThreadBoot. */
  readonly text: string
  /** What is said during calls goes through here, as JSON text in both directions. */
  readonly port: MessagePort
  readonly board: SharedArrayBuffer
}

export interface ThreadBoot {
  readonly code: string
  /** Absolute entry file: what `require` and `import()` resolve from. */
  readonly entry: string
  readonly config?: unknown
  readonly env: Readonly<Record<string, string>>
}

/**
 * The task that runs one request, as JSON text. Answered with its `settle` event as JSON text, or
 * with `DECLINED` when nothing was begun.
 */
export interface CallTask {
  /** The number of its offer on the board. */
  readonly id: string
  readonly request: RealmRequest
}

/** The worker has not come to rest after its last call, or the call was taken back. */
export const DECLINED = '{"k":"declined"}'

/** What the host says during a call. */
export type ThreadOrder =
  | { readonly t: 'abort'; readonly id: string; readonly reason: AbortReason }
  | { readonly t: 'answer'; readonly id: string; readonly n: number; readonly answer: BrokerAnswer }

/** What a worker says during a call, before its answer; hostile until parsed (src/engine/thread/parse-message.ts). */
export type ThreadMessage =
  | { readonly t: 'event'; readonly id: string; readonly body: unknown }
  /** Work that a call left behind failed after the call had settled. */
  | { readonly t: 'late'; readonly label: string; readonly message: string }
  /** An exception nobody caught ended the worker under call `id`. */
  | { readonly t: 'uncaught'; readonly id: string; readonly message: string }
