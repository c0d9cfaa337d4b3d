import type { ToolBody } from './engine.ts'
import type { CallState } from './profile.ts'

/** How a source was recognised; `function` is of several frameworks, or of none that has a name here. */
export type SourceFormat =
  | 'definition'
  | 'dsh-plugin'
  | 'ai-sdk'
  | 'claude-agent-sdk'
  | 'mastra'
  | 'openai-agents'
  | 'anthropic'
  | 'langchain'
  | 'opencode'
  | 'pi'
  | 'plain'
  | 'function'
  | 'command'
  | 'mcp'
  | 'builtin'

/** A file of a source as it was when that was loaded: what its programs find in its place. */
export interface HeldFile {
  /** Below the source's root, with forward slashes. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** One source as self-contained JavaScript text, not yet run by anybody. */
export interface BundledSource {
  /** What the operator wrote; shown in `list` and errors. */
  readonly source: string
  /** Absolute root folder on the host; never shown to tools. */
  readonly root: string
  /** Absolute entry file. */
  readonly entry: string
  /** A function expression `(require, module, exports) => …` as script text. */
  readonly code: string
  /** Plugin configuration from the operator; JSON. */
  readonly config?: unknown
  /** What the code loads besides itself: native add-ons of a program. */
  readonly files?: readonly HeldFile[]
}

/** What calls of a source share, and why it is not what the profile asks for. */
export interface KeptState {
  readonly name: CallState
  readonly reason?: string
}

/** What describing a source in its engine gave; `manifests` is hostile until parsed. */
export interface LoadedSource {
  readonly format: unknown
  readonly manifests: unknown
  /** The state its calls have; absent for `fresh` as the profile asks, and in engines that know none. */
  readonly state?: KeptState
  /** Why nothing confines what its calls run in; absent where something does, and in threads. */
  readonly unconfined?: string
  body(tool: string): ToolBody
  /** Frees what the engine keeps for this source; calls under way are not touched. */
  dispose(): Promise<void>
}
