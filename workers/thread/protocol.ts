import type { MessagePort } from 'node:worker_threads'
import type { AbortReason, BrokerAnswer, RealmRequest } from '../isolate/protocol.ts'

/** Gives a booted worker its source. Answered with the description as JSON text. */
export interface OpenTask {
  /** A ThreadBoot. */
  readonly text: string
  /** What is said during calls goes through here, as JSON text in both directions. */
  readonly port: MessagePort
  readonly board: SharedArrayBuffer
  /** Where calls are left for it while it is awake. */
  readonly orders: SharedArrayBuffer
  /** Where it leaves an answer that the host looks for. */
  readonly answers: SharedArrayBuffer
  /** How it looks out for its next call; absent where no worker is to. */
  readonly lookout?: LookoutTask
}

export interface LookoutTask {
  /** Shared by all workers of an engine. */
  readonly post: SharedArrayBuffer
  /** What this worker puts there. */
  readonly number: number
}

export interface ThreadBoot {
  readonly code: string
  /** Absolute entry file: what `require` and `import()` resolve from. */
  readonly entry: string
  /** Where the configuration library of plugins lies that have none of their own. */
  readonly schemastery: string
  readonly config?: unknown
  readonly env: Readonly<Record<string, string>>
}

/** Runs one request; its id is the number of its offer on the board. */
export interface CallOrder {
  readonly t: 'call'
  readonly id: string
  readonly request: RealmRequest
}

/** What the host says of a call. Each order to call is answered once, with `settle` or `declined`. */
export type ThreadOrder =
  | CallOrder
  | { readonly t: 'abort'; readonly id: string; readonly reason: AbortReason }
  | { readonly t: 'answer'; readonly id: string; readonly n: number; readonly answer: BrokerAnswer }

/** What a worker says; hostile until parsed (src/engine/thread/parse-message.ts). */
export type ThreadMessage =
  | { readonly t: 'event'; readonly id: string; readonly body: unknown }
  /** The answer to a call. */
  | { readonly t: 'settle'; readonly id: string; readonly outcome: unknown }
  /** Nothing was begun: the call was taken back, or the one before has left something behind. */
  | { readonly t: 'declined'; readonly id: string }
  /** Work that a call left behind failed after the call had settled. */
  | { readonly t: 'late'; readonly label: string; readonly message: string }
  /** An exception nobody caught ended the worker under call `id`. */
  | { readonly t: 'uncaught'; readonly id: string; readonly message: string }
