import { createHash } from 'node:crypto'

const MAX_NAME = 64
const HASH_DIGITS = 12

/**
 * What a server's tool is called here: `mcp__<server>__<tool>`. Characters that names do not have, and
 * what is too long, give way to a hash of the whole, so that different tools stay different.
 */
export function toToolName(server: string, tool: string): string {
  const full = `mcp__${server}__${tool}`
  const plain = full.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  if (plain === full && full.length <= MAX_NAME) return full
  const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH_DIGITS)
  return `${plain.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${hash}`
}
