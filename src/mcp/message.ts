import { parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { isCaissonError } from '../errors/caisson-error.ts'
import { parseJsonText } from '../json/measure.ts'

export type Message = JSONRPCMessage

const OPENING = 0x7b
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0d])
const INTERNAL_ERROR = -32_603

/**
 * One line as a message; undefined for what is none. An answer that is not formed like one is that
 * request's failure. Throws `JSON_LIMIT` for what is too much.
 */
export function deserialize(line: Buffer): Message | undefined {
  // Most of what is no message shows at its first character, at no cost.
  let first = 0
  while (BLANKS.has(line[first])) first += 1
  if (line[first] !== OPENING) return undefined
  let parsed: unknown
  try {
    parsed = parseJsonText(line.toString('utf8'))
    return parseJSONRPCMessage(parsed)
  } catch (error) {
    if (isCaissonError(error) && error.code === 'JSON_LIMIT') throw error
    return toFailure(parsed)
  }
}

function toFailure(parsed: unknown): Message | undefined {
  const { id, method } = Object(parsed) as { id?: unknown; method?: unknown }
  if ((typeof id !== 'number' && typeof id !== 'string') || method !== undefined) return undefined
  const message = 'the answer of the server is not formed like one'
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } }
}
