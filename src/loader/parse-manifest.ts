import { z } from 'zod'
import { isErrorCode, type ErrorCode } from '../errors/codes.ts'
import { isReservedName, nameViolation } from '../registry/names.ts'
import { isTimeout } from '../registry/parse-definition.ts'
import { retryViolations } from '../registry/retry-settings.ts'
import type { ProjectionKind, ToolManifest } from '../types/engine.ts'
import type { JsonObject } from '../types/json.ts'
import type { SourceFormat } from '../types/source.ts'

/** What a describe step said, checked: manifests that can be registered, or everything wrong. */
export type ParsedManifests =
  | {
      readonly kind: 'manifests'
      readonly format: SourceFormat
      readonly tools: readonly ToolManifest[]
    }
  | {
      readonly kind: 'refused'
      readonly violations: readonly string[]
      /** The code of the first violation that has one. */
      readonly cause?: ErrorCode
    }

const MAX_TOOLS = 1_000
const MAX_DESCRIPTION_BYTES = 16 * 1024
const MAX_VIOLATIONS = 100
const MAX_TEXT = 1_000
const PROJECTIONS: readonly ProjectionKind[] = [
  'render',
  'presentationMeta',
  'finalizeContent',
  'isConcurrencySafe',
  'presentCall',
  'presentResult',
]

const Row = z.strictObject({
  name: z.unknown().optional(),
  description: z.unknown().optional(),
  parameters: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
  timeoutMs: z.unknown().optional(),
  idempotent: z.unknown().optional(),
  retry: z.unknown().optional(),
  defined: z.boolean(),
  hasOutput: z.boolean(),
  functions: z.partialRecord(z.enum(['execute', ...PROJECTIONS]), z.enum(['function', 'invalid'])),
  faults: z
    .array(
      z.strictObject({
        code: z.string(),
        message: z.string().transform((text) => text.slice(0, MAX_TEXT)),
      }),
    )
    .max(10),
})
type Row = z.infer<typeof Row>

const Formats = z.enum([
  'definition',
  'dsh-plugin',
  'ai-sdk',
  'claude-agent-sdk',
  'mastra',
  'openai-agents',
  'anthropic',
  'langchain',
  'opencode',
  'pi',
  'plain',
  'function',
])

/**
 * Parses what a source said of itself from inside its sandbox. Nothing in it is trusted: shapes,
 * sizes, names and numbers are checked, and all that is wrong is reported together.
 */
export function parseManifests(format: unknown, rows: unknown): ParsedManifests {
  const known = Formats.safeParse(format)
  if (!known.success || !Array.isArray(rows)) return refuse(['its description has no known form'])
  if (rows.length === 0) return refuse(['it has no tool'])
  if (rows.length > MAX_TOOLS) {
    return refuse([`it has ${rows.length} tools; ${MAX_TOOLS} are allowed`])
  }
  const parsed = rows.map((row) => Row.safeParse(row))
  const violations: string[] = []
  let cause: ErrorCode | undefined
  const tools: ToolManifest[] = []
  for (const [index, row] of parsed.entries()) {
    if (!row.success) {
      violations.push(`tool #${index + 1}: its description has no known form`)
      continue
    }
    const found = rowViolations(row.data)
    const label = toLabel(row.data.name, index)
    violations.push(...found.map((text) => `${label}: ${text}`))
    cause ??= row.data.faults.map(({ code }) => code).find(isErrorCode)
    if (found.length === 0) tools.push(toManifest(row.data))
  }
  violations.push(...duplicateNames(tools))
  if (violations.length > 0) return refuse(violations, cause)
  return { kind: 'manifests', format: known.data, tools }
}

function refuse(violations: readonly string[], cause?: ErrorCode): ParsedManifests {
  const shown = violations.slice(0, MAX_VIOLATIONS)
  const rest = violations.length - shown.length
  return {
    kind: 'refused',
    violations: rest > 0 ? [...shown, `and ${rest} more`] : shown,
    ...(cause === undefined ? {} : { cause }),
  }
}

// In the order of registration, but without its stop at the first group: an author wants all of it.
function rowViolations(row: Row): string[] {
  return [...identityViolations(row), ...outputViolations(row), ...settingViolations(row)]
}

function identityViolations({ name, description, functions }: Row): string[] {
  const violations: string[] = []
  const badName = nameViolation(name)
  if (badName !== undefined) violations.push(badName)
  else if (isReservedName(name as string)) violations.push(`'${String(name)}' is a reserved name`)
  if (typeof description !== 'string') violations.push('description must be a string')
  else if (Buffer.byteLength(description) > MAX_DESCRIPTION_BYTES) {
    violations.push(`description must be at most ${MAX_DESCRIPTION_BYTES} bytes`)
  }
  if (functions.execute !== 'function') violations.push('execute must be a function')
  return violations
}

function outputViolations(row: Row): string[] {
  const { functions, faults } = row
  const violations = faults.map(({ message }) => message)
  const isFaulty = (where: string): boolean =>
    faults.some(({ message }) => message.startsWith(where))
  if (!row.hasOutput) violations.push('output must be an object with schema and render')
  else {
    if (functions.render !== 'function') violations.push('output.render must be a function')
    if (functions.presentationMeta === 'invalid') {
      violations.push('output.presentationMeta must be a function')
    }
    if (!isObject(row.outputSchema) && !isFaulty('output.schema')) {
      violations.push('output.schema must be an object')
    }
  }
  if (!isObject(row.parameters) && !isFaulty('parameters')) {
    violations.push('parameters must be a JSON Schema object')
  }
  return violations
}

function settingViolations({ functions, idempotent, retry, timeoutMs }: Row): string[] {
  const violations: string[] = []
  if (timeoutMs !== undefined && !isTimeout(timeoutMs)) {
    violations.push('timeoutMs must be a number above 0 and at most 2147483647')
  }
  if (idempotent !== undefined && typeof idempotent !== 'boolean') {
    violations.push('idempotent must be a boolean')
  }
  violations.push(...retryViolations(retry, 'retry'))
  for (const kind of PROJECTIONS) {
    const isOptional = kind !== 'render' && kind !== 'presentationMeta'
    if (isOptional && functions[kind] === 'invalid') violations.push(`${kind} must be a function`)
  }
  return violations
}

function toManifest(row: Row): ToolManifest {
  return {
    name: row.name as string,
    description: row.description as string,
    parameters: row.parameters as JsonObject,
    outputSchema: row.outputSchema as JsonObject,
    defined: row.defined,
    projections: PROJECTIONS.filter((kind) => row.functions[kind] === 'function'),
    ...(row.timeoutMs === undefined ? {} : { timeoutMs: row.timeoutMs as number }),
    ...(row.idempotent === undefined ? {} : { idempotent: row.idempotent as boolean }),
    ...(row.retry === undefined ? {} : { retry: row.retry as JsonObject }),
  }
}

function duplicateNames(tools: readonly ToolManifest[]): string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { name } of tools) (seen.has(name) ? twice : seen).add(name)
  return [...twice].map((name) => `tool '${name}': its name is used by more than one tool`)
}

function toLabel(name: unknown, index: number): string {
  return nameViolation(name) === undefined ? `tool '${String(name)}'` : `tool #${index + 1}`
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
