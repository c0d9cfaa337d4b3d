import type { Findings } from '../assessment/findings.ts'
import type { Ground } from '../paths/ground.ts'
import type { CanonicalSegment } from '../types.ts'
import type { ShellParser } from './read-line.ts'
import type { ShellWord } from './shell-word.ts'
import type { Scope } from './words.ts'

/** What a command does, as far as the deletion of own files needs to know. */
export type SegmentKind = 'text' | 'meta' | 'read' | 'delete' | 'other'

/** Something that matters together with something else on the line. */
export interface LineEvent {
  readonly kind: 'secret' | 'dump' | 'sender' | 'shell'
  readonly order: number
  /** Pipelines that it is a member of, with its place. */
  readonly pipes: readonly PipePlace[]
  /** Commands in whose words it stands. */
  readonly inside: readonly number[]
  /** The command that it belongs to. */
  readonly command: number
  readonly loops: readonly number[]
  /** Runs whenever somebody calls it. */
  readonly deferred: boolean
}

export interface PipePlace {
  readonly pipe: number
  readonly index: number
}

/** The folders that a relative name can mean. */
export interface Folders {
  readonly paths: readonly string[]
  /** It can also be one that nobody knows. */
  readonly unknown: boolean
}

/** State of the reading of one line, nested texts included. */
export interface Line {
  readonly ground: Ground
  readonly findings: Findings
  readonly parser: ShellParser
  readonly confined: boolean
  readonly segments: CanonicalSegment[]
  readonly events: LineEvent[]
  readonly kinds: SegmentKind[]
  readonly urls: string[]
  /** Operands of deletions that are not all literal, or stand in nested text, spoil the exemption. */
  readonly deletions: { paths: string[]; spoiled: boolean }
  counter: number
  operands: number
  /** Further readings of commands so far. */
  variants: number
}

/** Where in a line the walk is. */
export interface Context {
  readonly line: Line
  readonly scope: Scope
  /** Changed by `cd`; copied where a subshell begins. */
  readonly place: { folders: Folders }
  /** How many texts this text is nested in. */
  readonly depth: number
  readonly pipes: readonly PipePlace[]
  readonly inside: readonly number[]
  readonly loops: readonly number[]
  readonly deferred: boolean
  readonly stdin: Stdin
}

/** What a command would read from its standard input. */
export type Stdin =
  | { readonly kind: 'inherited' | 'file' }
  /** `text` is what is known to come. */
  | { readonly kind: 'pipe'; readonly text?: ShellWord }
  | { readonly kind: 'text'; readonly text: ShellWord }

export const MAX_OPERANDS = 256
export const MAX_COMMANDS = 1024
export const MAX_VARIANTS = 2048
export const MAX_WORDS = 2048
export const MAX_NESTING = 4

/** Adds a reason that belongs to no path. */
export function addCode(line: Line, code: string): void {
  line.findings.add({ code, layer: 'shell' })
}
