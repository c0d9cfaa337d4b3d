import { freezeParsed } from '../json/freeze-parsed.ts'
import { tryMaterializeJson } from '../json/materialize.ts'
import type { ContentBlock } from '../types/content.ts'
import type { JsonValue } from '../types/json.ts'

/**
 * Content blocks as frozen JSON, or what is wrong with them. `parsed`: the value comes from
 * `JSON.parse` and is nobody else's.
 */
export function parseContent(
  value: unknown,
  parsed: boolean = false,
): { readonly content: readonly ContentBlock[] } | { readonly problem: string } {
  const made = parsed
    ? freezeParsed(value, 'content')
    : tryMaterializeJson(value, { where: 'content', freeze: true })
  if (made.kind === 'fault') return { problem: `is no lossless JSON: ${made.message}` }
  const blocks = made.value
  if (!Array.isArray(blocks)) return { problem: 'is not an array of content blocks' }
  const bad = (blocks as readonly JsonValue[]).findIndex((block) => !isContentBlock(block))
  if (bad >= 0) return { problem: `has no valid content block at index ${bad}` }
  return { content: blocks as unknown as readonly ContentBlock[] }
}

function isContentBlock(block: JsonValue): boolean {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return false
  const { type, text } = block as { readonly [key: string]: JsonValue }
  if (typeof type !== 'string' || type === '') return false
  return type !== 'text' || typeof text === 'string'
}
