import type { JsonObject } from './json.ts'
import type { HeldFile } from './source.ts'

/** A tool that is a program with arguments, as its manifest says. */
export interface CommandManifest {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly outputSchema: JsonObject
  /** What is run, entry by entry; no shell unless it names one. */
  readonly command: readonly [CommandEntry, ...CommandEntry[]]
  /** What the program reads: its arguments as one JSON text, or nothing. */
  readonly input: 'json' | 'none'
  /** What its output is: one JSON text, or text as it stands. */
  readonly mode: 'json' | 'text'
  /** Exit codes that are no failure. */
  readonly okExitCodes: readonly number[]
  readonly timeoutMs?: number
  readonly idempotent?: boolean
  readonly retry?: JsonObject
}

/** One entry of a command line: parts of fixed text and of arguments, by name. */
export type CommandEntry = readonly CommandPart[]

export type CommandPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'argument'; readonly name: string }
  /** A file of the tool's own, by its path below the tool's root. */
  | { readonly kind: 'file'; readonly path: string }

/** A manifest and where it was found. */
export interface CommandSource {
  /** What the operator wrote; shown in `list` and errors. */
  readonly source: string
  /** Absolute root folder on the host; never shown to tools. */
  readonly root: string
  readonly manifest: CommandManifest
  /** Files of its own that it names, as far as they can be held. */
  readonly files: readonly HeldFile[]
}
