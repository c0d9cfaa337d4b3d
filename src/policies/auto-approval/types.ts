import type { JsonValue } from '../../types/json.ts'

/** How strict one reason is; the strictest of a call's reasons is its verdict. */
export type Verdict = 'allow' | 'ask-e' | 'ask-h' | 'ask-l' | 'deny'

export type Severity = 'low' | 'medium' | 'high' | 'fatal'

/** Labels with a switch, highest precedence first, and the two that only inherit. */
export type Category =
  | 'dynamicCode'
  | 'privilege'
  | 'delete'
  | 'disk'
  | 'protected'
  | 'network'
  | 'gitPush'
  | 'publish'
  | 'gitLocal'
  | 'edit'
  | 'build'
  | 'read'
  | 'internal'
  | 'unknown'

export type RiskTier = 'LOW' | 'MEDIUM' | 'HIGH' | 'DENY'

export type TargetRole = 'read' | 'meta' | 'write' | 'delete' | 'unknown'

/** Which file a path named when it was looked at. */
export interface FileIdentity {
  readonly device: string
  readonly inode: string
  /** Nanoseconds as text; undefined where the file system does not tell. */
  readonly birth?: string
}

/** What a call would touch. Paths are absolute. */
export interface Target {
  readonly role: TargetRole
  readonly path?: string
  /** Real path of the deepest existing ancestor plus the remaining names. */
  readonly resolved?: string
  /** Undefined where nothing exists. */
  readonly identity?: FileIdentity
  readonly url?: string
}

/** Severity, category and lock are facts of the code, looked up in one table. */
export interface Reason {
  readonly code: string
  readonly severity: Severity
  /** Null for fatal reasons. */
  readonly category: Category | null
  readonly locked: boolean
  readonly targets: readonly Target[]
}

/** A file that the call is expected to create. */
export interface PlannedCreate {
  readonly path: string
}

/** What guards and assessment say of one call; the same for every later step. */
export interface Assessment {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly verdict: Verdict
  readonly tier: RiskTier
  readonly category: Category | null
  /** A model may settle the ask. */
  readonly eligible: boolean
  readonly locked: boolean
  readonly credentialRead: boolean
  /** Lead reason first. */
  readonly reasons: readonly Reason[]
  readonly plannedCreates: readonly PlannedCreate[]
}

/** One command of a shell line as declared rules see it. */
export interface CanonicalSegment {
  /** Words after quote removal joined by one space; wrappers and assignment prefixes removed. */
  readonly text: string
  /** The effective command's base name; undefined when it is not known. */
  readonly command: string | undefined
  readonly words: readonly string[]
  readonly codes: readonly string[]
  /** Holds a word whose value is not known, or a glob. */
  readonly dynamic: boolean
}

/** The assessment and what rules, learning and evidence need to know of the same reading. */
export interface AssessedCall {
  readonly assessment: Assessment
  /** A fatal reason that the guard reports; undefined when none. */
  readonly guard: { readonly code: string; readonly message: string } | undefined
  readonly toolClass: ToolClass
  readonly channel: 'internal' | 'external' | 'local'
  /** Undefined for tools that run no shell line. */
  readonly shell:
    | {
        readonly parsed: boolean
        readonly line: string
        readonly segments: readonly CanonicalSegment[]
      }
    | undefined
  /** Every normalised and resolved target. */
  readonly targets: readonly Target[]
  readonly urls: readonly string[]
  /** Repeated identical calls are expected; exempt from the loop guard. */
  readonly pollable: boolean
}

/** What kind of effect a tool's name or descriptor stands for. */
export type ToolClass = string

/** A call as policy sees it: frozen, parsed, nothing cut. */
export interface PolicyCall {
  readonly name: string
  readonly arguments: JsonValue
  /** Absolute folder that relative names are resolved against: the session's cwd. */
  readonly cwd: string
  /** Root session, for what its calls created; undefined without a session. */
  readonly root?: string
}
