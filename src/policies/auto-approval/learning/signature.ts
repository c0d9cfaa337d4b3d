import type { JsonValue } from '../../../types/json.ts'
import type { AssessedCall, CanonicalSegment } from '../types.ts'

const UNLEARNED: ReadonlySet<string> = new Set([
  'ENV_HOOK',
  'DYNAMIC_COMMAND',
  'DYNAMIC_READ',
  'DYNAMIC_WRITE',
])

/**
 * A call without its values: command, subcommand, flags and kinds of operands; for other tools the
 * name and the types of the arguments. Undefined for what is never learned.
 */
export function toSignature(
  call: { readonly name: string; readonly arguments: JsonValue },
  { assessment, shell }: AssessedCall,
  workspace: string,
): string | undefined {
  const { tier, locked, category, reasons } = assessment
  if (locked || (tier !== 'LOW' && tier !== 'MEDIUM')) return undefined
  if (category === null || category === 'internal' || category === 'unknown') return undefined
  if (reasons.some(({ code }) => UNLEARNED.has(code))) return undefined
  const head = [workspace, call.name]
  if (shell === undefined) return JSON.stringify([...head, typeOf(call.arguments, 0)])
  if (!shell.parsed || shell.segments.some(({ dynamic }) => dynamic)) return undefined
  return JSON.stringify([...head, shell.segments.map(shapeOf)])
}

function shapeOf({ words }: CanonicalSegment): JsonValue {
  const [command = '', ...rest] = words
  const flags = rest.filter((word) => word.startsWith('-')).map((word) => word.split('=')[0] ?? '')
  const operands = rest.filter((word) => !word.startsWith('-'))
  const [first] = operands
  const subcommand = first !== undefined && /^[a-z][a-z-]{0,30}$/.test(first) ? first : ''
  return [
    command,
    subcommand,
    [...new Set(flags)].sort(),
    [...new Set(operands.map(kindOf))].sort(),
  ]
}

function kindOf(word: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return 'url'
  if (/^\d+$/.test(word)) return 'number'
  return word.includes('/') || word.includes('.') ? 'path' : 'word'
}

function typeOf(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  if (Array.isArray(value)) return 'list'
  if (depth >= 2) return 'object'
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]): JsonValue => [key, typeOf(field, depth + 1)])
}
