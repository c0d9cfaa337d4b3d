/** A generator yields partial results; its last one counts. */
export async function lastOf(made: unknown): Promise<unknown> {
  const result = await made
  const isGenerator =
    typeof result === 'object' && result !== null && Symbol.asyncIterator in result
  if (!isGenerator) return result
  let last: unknown
  for await (const value of result as AsyncIterable<unknown>) last = value
  return last
}

/** Frameworks let a result lose what JSON cannot say; the contract would refuse it. */
export function toJson(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : (JSON.parse(text) as unknown)
}

/** One text block: a string as it is, anything else as JSON. */
export function renderValue(value: unknown): unknown[] {
  return [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }]
}

/** A list of content blocks with images as MCP writes them; anything else as one text block. */
export function renderBlocks(value: unknown): unknown[] {
  if (!Array.isArray(value) || !value.every(isBlock)) return renderValue(value)
  return value.map((block: Record<string, unknown>) => {
    const source = Object(block['source']) as Record<string, unknown>
    if (block['type'] !== 'image' || source['type'] !== 'base64') return block
    return { type: 'image', data: source['data'], mimeType: source['media_type'] }
  })
}

function isBlock(value: unknown): boolean {
  const { type, text } = Object(value) as Record<string, unknown>
  return type === 'text' ? typeof text === 'string' : typeof type === 'string' && type !== ''
}
