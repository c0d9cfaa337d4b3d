import type { JsonValue } from '../../types/json.ts'
import type { ShellParser } from './shell/read-line.ts'
import type {
  AssessedCall,
  Category,
  FileIdentity,
  PolicyCall,
  Target,
  ToolClass,
} from './types.ts'

export type PositionMode = 'workspace' | 'anywhere'

/** What configuration says at the moment of a call; read afresh each time. */
export interface AssessorSettings {
  readonly positionMode: PositionMode
  readonly trustedDirs: readonly string[]
  readonly trustedHosts: readonly string[]
  readonly credentialReads: 'deny' | 'ask'
  /** Names that nobody writes, on top of the built-in ones. */
  readonly protectedNames: readonly string[]
  /** Configuration files that this host loaded. */
  readonly policyFiles: readonly string[]
}

/** How a tool is classified: by the host for its own tools, else by the operator. */
export interface ToolDescriptor {
  readonly class: ToolClass
  /** Where the arguments name files, as in `file_path` or `patches[].file_path`. */
  readonly paths?: readonly string[]
  readonly channel?: 'internal' | 'external' | 'local'
  readonly pollable?: boolean
}

/** What the host knows of a registered tool, never what the tool says of itself. */
export interface ToolFacts {
  /** The host's own tool: the shipped bindings apply to its name. */
  readonly builtin: boolean
  /** The operator's binding; wins over everything. */
  readonly policy?: ToolDescriptor
  readonly engine?: 'inline' | 'thread' | 'isolate' | 'process'
  /** False when the tool's profile or the host set `confinement: "none"`. */
  readonly confined: boolean
  /** The profile grants something besides computing. */
  readonly capabilities: boolean
  /** The tool's own claim to destroy things; it can only tighten. */
  readonly destructive?: boolean
  /** Whether a call asks for more than the tool has by itself. */
  readonly widens?: (args: JsonValue) => boolean
}

/** The file system as the assessment looks at it. Paths are absolute; nothing here follows the process's cwd. */
export interface FileView {
  /** Undefined when nothing is there; throws for everything else. Follows no link. */
  lstat(path: string): FileFacts | undefined
  /** Undefined when something of the path is missing; throws for everything else. */
  realpath(path: string): string | undefined
  /** Where a link points, as it is written. Throws when it is none. */
  readlink(path: string): string
  /** At most `limit` entries, or undefined when there are more or it cannot be read. */
  list(path: string, limit: number): readonly ListedEntry[] | undefined
}

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly links: number
  readonly identity: FileIdentity
}

export interface ListedEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** Which entries the calls of a root session created. */
export interface ArtifactView {
  isOwn(root: string, identity: FileIdentity): boolean
  /** Another call of the root session is running. */
  isBusy(root: string): boolean
}

export interface AssessorOptions {
  readonly home: string
  readonly stateDir: string
  readonly tempRoots: readonly string[]
  /** Where the running installation lies; nobody writes there. */
  readonly installDir?: string
  readonly settings: () => AssessorSettings
  /** Undefined for names that are not registered: the shipped bindings apply. */
  readonly describe: (name: string) => ToolFacts | undefined
  /** Default: the real one. */
  readonly files?: FileView
  readonly artifacts?: ArtifactView
  /** Default: the shipped parser. */
  readonly parser?: ShellParser
  /** Some tool is of the shell class, so there must be a parser. Default true. */
  readonly needsShell?: boolean
}

export interface Assessor {
  /** Reads a call once, for guards, assessment and rules. Never throws, runs nothing, is bounded. */
  assess(call: PolicyCall): AssessedCall
  /** Whether every target still is what it was when it was assessed: same path, same file, nothing new. */
  isUnchanged(targets: readonly Target[]): boolean
}

/** A category label with a switch. */
export type SwitchLabel = Exclude<Category, 'internal' | 'unknown'>
export type CategorySwitch = 'auto' | 'ask' | 'deny' | 'inherit'

export interface CategorySettings {
  readonly positionMode: PositionMode
  readonly labels: Readonly<Partial<Record<SwitchLabel, CategorySwitch>>>
}

/** What the switches make of one assessment. */
export interface CategoryDirective {
  /** Strictest over the labels of all reasons. */
  readonly directive: CategorySwitch
  /** The label that decided; undefined when the layer adds nothing. */
  readonly label: SwitchLabel | undefined
  /** An ask that only a human settles. */
  readonly locked: boolean
  /** An eligible ask, all of whose ask reasons are in `auto` labels: its tier is LOW. */
  readonly lowered: boolean
  /** Belongs into records: something else than the plain defaults spoke. */
  readonly recorded: boolean
}
