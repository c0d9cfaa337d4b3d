import type { JsonValue } from '../types/json.ts'

const MAX_DEPTH = 16
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/** The TypeScript type of what fits a JSON Schema; `unknown` where a schema says more than types can. */
export function toTypeScript(
  schema: JsonValue | undefined,
  indent: string = '',
  depth = 0,
): string {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'unknown'
  if (depth > MAX_DEPTH) return 'unknown'
  const node = schema as { readonly [key: string]: JsonValue }
  if (node['const'] !== undefined) return toLiteral(node['const'])
  if (Array.isArray(node['enum'])) return union(node['enum'].map(toLiteral))
  const branches = node['oneOf'] ?? node['anyOf']
  if (Array.isArray(branches)) {
    return union(branches.map((branch) => toTypeScript(branch, indent, depth + 1)))
  }
  const { type } = node
  if (Array.isArray(type)) {
    return union(type.map((one) => toTypeScript({ ...node, type: one }, indent, depth + 1)))
  }
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return type
    case 'integer':
      return 'number'
    case 'array':
      return `${parenthesize(toTypeScript(node['items'], indent, depth + 1))}[]`
    case 'object':
      return toObject(node, indent, depth)
    default:
      return node['properties'] === undefined ? 'unknown' : toObject(node, indent, depth)
  }
}

/** A property name as it stands in a type. */
export function toKey(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name)
}

/** A text inside a block comment, on lines of their own. */
export function toComment(text: string, indent: string): string {
  const safe = text.replaceAll('*/', '*\\/').replaceAll(/\r\n?|\u2028|\u2029/g, '\n')
  const lines = safe.split('\n').map((line) => `${indent} * ${line}`.trimEnd())
  return lines.length === 1
    ? `${indent}/** ${safe} */`
    : [`${indent}/**`, ...lines, `${indent} */`].join('\n')
}

function toObject(
  node: { readonly [key: string]: JsonValue },
  indent: string,
  depth: number,
): string {
  const properties = Object.entries((node['properties'] ?? {}) as { [key: string]: JsonValue })
  const required = Array.isArray(node['required']) ? node['required'] : []
  const inner = `${indent}  `
  const isOpen = node['additionalProperties'] !== false
  if (properties.length === 0) return isOpen ? 'Record<string, unknown>' : 'Record<string, never>'
  const lines = properties.flatMap(([name, value]) => {
    const { description } = Object(value) as { description?: unknown }
    const optional = required.includes(name) ? '' : '?'
    return [
      ...(typeof description === 'string' ? [toComment(description, inner)] : []),
      `${inner}${toKey(name)}${optional}: ${toTypeScript(value, inner, depth + 1)}`,
    ]
  })
  return ['{', ...lines, `${indent}}`].join('\n')
}

function toLiteral(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value)
}

function union(parts: readonly string[]): string {
  const unique = [...new Set(parts)]
  if (unique.length === 0) return 'never'
  return unique.includes('unknown') ? 'unknown' : unique.join(' | ')
}

function parenthesize(type: string): string {
  return type.includes(' | ') ? `(${type})` : type
}
