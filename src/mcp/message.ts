import { isCaissonError } from '../errors/caisson-error.ts'
import { parseJsonText } from '../json/measure.ts'
import { parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/client'

export type Message = JSONRPCMessage

/** One line as a message; undefined for what is none. Throws `JSON_LIMIT` for what is too much. */
export function deserialize(line: string): Message | undefined {
  try {
    return parseJSONRPCMessage(parseJsonText(line))
  } catch (error) {
    if (isCaissonError(error) && error.code === 'JSON_LIMIT') throw error
    return undefined
  }
}
