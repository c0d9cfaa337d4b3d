import { parseTree, type Node, type ParseError } from 'jsonc-parser'
import { DEFAULT_JSON_LIMITS } from '../../../json/limits.ts'
import { scanJsonText } from '../../../json/measure.ts'
import type { JsonValue } from '../../../types/json.ts'

const LIMITS = { ...DEFAULT_JSON_LIMITS, depth: 32 }

/** The value of a text that is exactly one JSON value in which no object names a key twice. Throws. */
export function parseStrictJson(text: string): JsonValue {
  scanJsonText(text, LIMITS)
  const value = JSON.parse(text) as JsonValue
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  if (tree === undefined || errors.length > 0) throw new Error('no JSON')
  checkKeys(tree)
  return value
}

function checkKeys(node: Node): void {
  if (node.type === 'object') {
    const keys = (node.children ?? []).map((property) => String(property.children?.[0]?.value))
    if (new Set(keys).size !== keys.length) throw new Error('a key is named twice')
  }
  for (const child of node.children ?? []) checkKeys(child)
}
