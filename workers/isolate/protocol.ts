import type { ProjectionKind } from '../../src/types/engine.ts'
import type { CallState } from '../../src/types/profile.ts'
import type { KnownSchemas } from '../shared/known-schemas.ts'

/** What the host tells a runner. The runner trusts the host. */
export type HostMessage =
  | {
      readonly t: 'open'
      /** Absent: the one that it was warmed with. */
      readonly realm?: string
      readonly bundle: string
      readonly memoryMb: number
      readonly boot: RealmBoot
      /** Default `fresh`. */
      readonly state?: CallState
      /** What the parameters of a frozen bundle stand for. */
      readonly names?: readonly string[]
    }
  | { readonly t: 'describe' }
  | {
      readonly t: 'call'
      readonly id: string
      readonly request: RealmRequest
      /** The environment of the context that is prepared after this call; as in `boot` when absent. */
      readonly env?: Readonly<Record<string, string>>
    }
  | { readonly t: 'abort'; readonly id: string; readonly reason: AbortReason }
  | { readonly t: 'answer'; readonly id: string; readonly n: number; readonly answer: BrokerAnswer }

/** What the host tells a runner whatever is in it, and one in which several calls live at once. */
export type RunnerOrder =
  | (HostMessage & { readonly slot?: number })
  /** What to have ready before it is known what will run; `memoryMb` absent: nothing but the text. */
  | {
      readonly t: 'warm'
      readonly realm: string
      readonly memoryMb?: number
      /** The realm is one to be frozen; frozen it is, too, if that can be done before. */
      readonly frozen?: true
    }
  /** Ends what runs in the slot; answered by `dropped` once nothing does. */
  | { readonly t: 'drop'; readonly slot: number }
  /** Asks who has used the most CPU time; answered by `spent`. */
  | { readonly t: 'weigh' }

/**
 * What a runner tells the host; hostile until parsed (src/engine/isolate/parse-message.ts). A frame
 * holds one JSON text, then after a line break the `body`, so that what a realm wrote cannot pass
 * for what the runner says.
 */
export type RunnerMessage =
  | { readonly t: 'ready'; readonly s: string }
  | { readonly t: 'described'; readonly s: string; readonly body: unknown }
  | { readonly t: 'failed'; readonly s: string; readonly message: string }
  | { readonly t: 'event'; readonly s: string; readonly id: string; readonly body: unknown }
  /** The context of call `id` is gone; `spoiled` asks for the runner to be replaced. */
  | { readonly t: 'quiet'; readonly s: string; readonly id: string; readonly spoiled: boolean }
  /** The next context is prepared: until the next request no tool code runs. */
  | { readonly t: 'rested'; readonly s: string }
  | { readonly t: 'memory'; readonly s: string }
  /** Nothing runs any more in a slot that the host gave up. */
  | { readonly t: 'dropped'; readonly s: string }
  /** CPU time of the request in each slot, in milliseconds. */
  | { readonly t: 'spent'; readonly s: string; readonly ms: readonly number[] }

/** What a context needs to know before tool code runs. */
export interface RealmBoot {
  readonly source: string
  /** Set once the source has been described. */
  readonly schemas?: KnownSchemas
  readonly config?: unknown
  readonly env: Readonly<Record<string, string>>
}

export interface AbortReason {
  readonly name: string
  readonly message: string
  readonly code?: string
}

export type BrokerAnswer =
  | { readonly ok: unknown }
  | { readonly err: { readonly code: string; readonly message: string; readonly ref: string } }

/** One run inside the realm. */
export type RealmRequest =
  | {
      readonly op: 'execute'
      readonly tool: string
      readonly args: unknown
      readonly exec: RealmExec
      readonly wantsMeta: boolean
      readonly limits: RealmLimits
    }
  | {
      readonly op: 'project'
      readonly tool: string
      readonly kind: ProjectionKind
      readonly input: readonly unknown[]
      readonly limits: RealmLimits
    }

/** The serialisable half of `exec`; token and parent stay on the host. */
export interface RealmExec {
  readonly callId: string
  readonly rootCallId: string
  readonly name: string
  readonly agent?: { readonly id: string; readonly sessionId: string }
}

export interface RealmLimits {
  readonly depth: number
  readonly nodes: number
  readonly bytes: number
  /** Bytes of the serialised value that may leave. */
  readonly outputBytes: number
  readonly logBytes: number
  /** Bytes of one request to the host. */
  readonly requestBytes: number
  /** Set when the call may keep values; how many bytes of them. */
  readonly kvBytes?: number
  /** Set when the call may call further tools. */
  readonly toolCalls?: true
  /** Requests one call may make, and other messages besides logs (contexts, progress) it may send. */
  readonly messages: number
}
