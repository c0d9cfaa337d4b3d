import type { CapabilityGrants } from '../types/capability.ts'
import type { ToolBody } from '../types/engine.ts'
import type { JsonValue } from '../types/json.ts'
import type { RetrySettings } from '../types/tool.ts'
import type { ToolDescriptor } from '../policies/auto-approval/assessor-types.ts'
import type { ParsedDefinition } from './parse-definition.ts'

/** A registered tool: everything copied from its definition once, and its hold on an engine. */
export interface Registration extends ParsedDefinition {
  /** What the operator fixed for this tool; a definition cannot. */
  readonly operator: OperatorSettings
  readonly body: ToolBody
  /** Violations of a value where its schema says more than the subset every tool writes. */
  readonly validateOutput?: (value: JsonValue) => readonly string[]
  readonly source?: string
  readonly format?: string
}

/** Settings of host configuration and command line for one tool; they win over the definition. */
export interface OperatorSettings {
  readonly profile?: string
  /** Ceiling of the profile; absent for inline tools. */
  readonly maxTimeoutMs?: number
  readonly graceMs: number
  readonly timeoutMs?: number
  readonly retry?: RetrySettings
  readonly profileRetry?: RetrySettings
  readonly idempotent?: boolean
  readonly confinement?: 'none'
  /** It says of itself that it destroys things; that can only make policy stricter. */
  readonly destructive?: boolean
  /** Whether a call asks for more than the tool has by itself; only a person may grant that. */
  readonly widens?: (args: JsonValue) => boolean
  /** How the operator classifies the tool for approval. */
  readonly policy?: ToolDescriptor
  readonly logBytes: number
  /** What the tool may ask the host for; absent for inline tools, which ask for nothing. */
  readonly grants?: CapabilityGrants
}
