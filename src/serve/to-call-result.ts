import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { CallResult } from '../types/call.ts'
import type { ContentBlock as ShownBlock } from '../types/content.ts'
import type { JsonValue } from '../types/json.ts'

const KNOWN: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])

/** A result as an MCP client gets it: the content, and the canonical value beside it. */
export function toCallResult(result: CallResult): CallToolResult {
  const content = result.content.map(toBlock)
  if (result.isError) {
    return { isError: true, content, _meta: { 'caisson/error': { ...result.error } } }
  }
  return { content, structuredContent: result.value as Record<string, JsonValue> }
}

// A block of a kind that MCP does not know is shown as what it is made of.
function toBlock(block: ShownBlock): ContentBlock {
  const { text } = block
  if (block.type === 'text' && typeof text === 'string') return { type: 'text', text }
  if (KNOWN.has(block.type) && isWhole(block)) return block as unknown as ContentBlock
  return { type: 'text', text: JSON.stringify(block) }
}

function isWhole(block: ShownBlock): boolean {
  const { type, data, mimeType, resource, uri, name } = block as Record<string, JsonValue>
  if (type === 'image' || type === 'audio')
    return typeof data === 'string' && typeof mimeType === 'string'
  if (type === 'resource_link') return typeof uri === 'string' && typeof name === 'string'
  return typeof resource === 'object' && resource !== null
}
