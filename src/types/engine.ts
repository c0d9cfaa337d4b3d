import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../errors/codes.ts'
import type { ErrorFacts } from '../errors/caisson-error.ts'
import type { Execution, ToolProgress } from './call.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** Where a tool's code runs. */
export type EngineKind = 'inline' | 'thread' | 'isolate' | 'process'

/** What a body asks of the host while its call is live. Every method may be handed hostile data. */
export interface CallServices {
  /** Called once, when the body has provably been entered. */
  bodyStarted(): void
  /** Queues one context message, already lossless JSON. */
  deferContext(message: JsonValue): void
  concludeTurn(): void
  log(level: string, text: string): void
  /** Entries an engine left out by itself to keep the log limit; they join the one marker. */
  logDropped(entries: number): void
  progress(update: ToolProgress): void
  /** Says which stand-in each secret of the environment has in this body's context. */
  lendSecrets(standIns: Readonly<Record<string, string>>): void
  /**
   * Answers a brokered capability request. Resolves to JSON, or rejects with a CaissonError the
   * host minted; an engine hands the error inside and reports it back by reference as `refusal`.
   */
  request(capability: string, payload: JsonValue): Promise<JsonValue>
  /**
   * Connects a program with a host that its profile grants as an https origin. Resolves once that is
   * over, with `failed` when it could not be; rejects like `request` before it is accepted or after.
   */
  tunnel(request: TunnelRequest): Promise<JsonValue>
}

/** Where a tunnel leads, and the program's end of it. */
export interface TunnelRequest {
  /** `host:port`, as a program names it. */
  readonly authority: string
  /** Told once the other end is there; gives the program's. */
  accept(): Duplex
}

/** One attempt at a body. */
export interface BodyJob {
  readonly exec: Execution
  /** Caller's, wrapper's and deadline's signal in one. The engine stops the body when it aborts. */
  readonly signal: AbortSignal
  /** What an inline body gets: the caller's own signal when nothing else was put in its place. */
  readonly visibleSignal: AbortSignal
  /** Milliseconds between the abort message and the kill. */
  readonly graceMs: number
  /** False for a nested call: its projector is not entered. */
  readonly wantsMeta: boolean
  readonly services: CallServices
  /** W3C trace context of the call, for a body that hands its work to a server; no tool sees it. */
  readonly traceparent?: string
}

/** What a body threw, as data; never trusted, never an Error object. */
export interface ThrownRecord {
  readonly name: string
  readonly message: string
  readonly code?: string
}

/** Functions of a definition besides `execute`, all run where the tool runs. */
export type ProjectionKind =
  | 'render'
  | 'presentationMeta'
  | 'finalizeContent'
  | 'isConcurrencySafe'
  | 'presentCall'
  | 'presentResult'

/** One projection; `input` holds the function's arguments in order, as frozen JSON. */
export interface ProjectionJob {
  readonly kind: ProjectionKind
  readonly input: readonly JsonValue[]
}

/** How a projection ended. `returned` without `value` means `undefined`. The value is unchecked. */
export type ProjectionOutcome =
  | { readonly kind: 'returned'; readonly value?: unknown }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * A render and projector run that an engine did together with the body, to save a trip. Then the
 * value and these came out of one `JSON.parse`, and the engine keeps none of it.
 */
export interface BodyProjection {
  readonly render: ProjectionOutcome
  readonly presentationMeta?: ProjectionOutcome
}

/** Milliseconds an engine spent getting ready and running the body. */
export interface BodyTimings {
  readonly prepareMs: number
  readonly bodyMs: number
}

/**
 * How one attempt ended. `run()` resolves only when the body has stopped for good: it settled by
 * itself, or whatever it lived in is confirmed dead.
 */
export type BodyOutcome = BodyTimings &
  (
    | { readonly kind: 'returned'; readonly value: unknown; readonly projection?: BodyProjection }
    /** The body's value cannot leave the engine: not lossless, over a limit. */
    | {
        readonly kind: 'unusable'
        readonly code: 'INVALID_TOOL_OUTPUT' | 'JSON_LIMIT' | 'OUTPUT_LIMIT'
        readonly message: string
        readonly facts: ErrorFacts
      }
    | {
        readonly kind: 'threw'
        readonly thrown: ThrownRecord
        /** Set when exactly this refusal of the host ended the body. */
        readonly refusal?: {
          readonly code: ErrorCode
          readonly message: string
          readonly facts: ErrorFacts
        }
      }
    /** The engine failed under the call, or before it (`started: false`). */
    | {
        readonly kind: 'died'
        readonly code: ErrorCode
        readonly message: string
        readonly started: boolean
        readonly facts: ErrorFacts
      }
    /** `signal` aborted and the body was stopped by force, or never entered. */
    | { readonly kind: 'stopped'; readonly started: boolean; readonly unconfirmed?: true }
  )

/** One registration's hold on an engine: the only thing the pipeline knows of it. */
export interface ToolBody {
  readonly engine: EngineKind
  /** Waits for a free slot of the engine; absent where slots are unlimited. */
  readonly lane?: Lane
  run(job: BodyJob): Promise<BodyOutcome>
  /** Runs a pure function of the definition under its small budget. Never rejects. */
  project(job: ProjectionJob): Promise<ProjectionOutcome>
}

/** What became of the processes or threads of an engine since its host began. */
export interface EngineCounts {
  readonly started: number
  /** Ended by force because of what a call did, or dead under one: deadlines, memory, crashes. */
  readonly kills: number
  /** Replaced in good order: they had served their time, or another source needed their place. */
  readonly recycles: number
  /** Written off and replaced: ended by force, and not seen dead a second later. */
  readonly lost: number
}

/** A pool of equal slots that calls wait for. */
export interface Lane {
  readonly name: string
  readonly slots: number
}

/** What the describe step says of one tool, validated by the host like any hostile input. */
export interface ToolManifest {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly outputSchema: JsonObject
  /** True when `parameters` came from the DSL (`defineTool`), false for a raw JSON Schema. */
  readonly defined: boolean
  readonly timeoutMs?: number
  readonly idempotent?: boolean
  readonly retry?: JsonObject
  readonly projections: readonly ProjectionKind[]
}
