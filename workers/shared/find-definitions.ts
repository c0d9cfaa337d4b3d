import { isDefinedTool } from '../../src/registry/define-tool.ts'
import { findFormat } from './formats/foreign.ts'

/** Definitions found in a value, and how they were written. */
export interface FoundDefinitions {
  /** That of all of them; of several of other frameworks `function`. */
  readonly format: string
  readonly definitions: readonly unknown[]
}

/** Exports may group tools: an array in an object of the default export is three deep. */
const MAX_DEPTH = 4
const MAX_VISITS = 20_000

/**
 * Finds tool definitions among the exports of `file`: alone, in arrays, or in plain objects that
 * group them. Each counts once, however often it is exported.
 */
export function findDefinitions(exports: unknown, file: string): FoundDefinitions {
  const definitions = new Map<unknown, unknown>()
  const formats = new Set<string>()
  let visits = 0
  const visit = (value: unknown, key: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || definitions.has(value)) return
    visits += 1
    if (visits > MAX_VISITS) return
    const format = isDefinedTool(value) ? undefined : findFormat(value)
    if (format !== undefined) {
      formats.add(format.name)
      definitions.set(value, format.toDefinition(value as Record<string, unknown>, { key, file }))
      return
    }
    if (looksLikeDefinition(value)) {
      formats.add('definition')
      definitions.set(value, value)
      return
    }
    if (depth >= MAX_DEPTH || !(Array.isArray(value) || isGroup(value))) return
    for (const [inner, item] of Object.entries(value)) visit(item, inner, depth + 1)
  }
  visit(exports, 'default', 0)
  return { definitions: [...definitions.values()], format: toOneFormat(formats) }
}

function toOneFormat(formats: ReadonlySet<string>): string {
  const [first = 'definition'] = formats
  if (formats.size < 2) return first
  return formats.has('definition') ? 'definition' : 'function'
}

/** Broken ones too: a definition that lost a part is reported, not passed over. */
function looksLikeDefinition(value: object): boolean {
  if (isDefinedTool(value)) return true
  const has = (key: string): boolean => key in value
  if (typeof Reflect.get(value, 'execute') === 'function') {
    return has('output') || (has('name') && has('parameters'))
  }
  return has('name') && has('parameters') && has('output')
}

/** Plain objects and module namespaces, nothing with behaviour of its own. */
function isGroup(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
