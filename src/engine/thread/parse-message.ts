import type { ThreadMessage } from '../../../workers/thread/protocol.ts'
import { parseRecord } from '../shared/parse-record.ts'

/** A worker's text as a message, or undefined for anything a healthy worker never says. */
export function parseThreadMessage(text: string): ThreadMessage | undefined {
  const message = parseRecord(text)
  return message !== undefined && isThreadMessage(message) ? message : undefined
}

function isThreadMessage(message: object): message is ThreadMessage {
  const m = message as Record<string, unknown>
  switch (m['t']) {
    case 'event':
      return typeof m['id'] === 'string' && typeof m['body'] === 'object' && m['body'] !== null
    case 'settle':
      return typeof m['id'] === 'string' && 'outcome' in m
    case 'declined':
      return typeof m['id'] === 'string'
    case 'late':
      return typeof m['label'] === 'string' && typeof m['message'] === 'string'
    case 'uncaught':
      return typeof m['id'] === 'string' && typeof m['message'] === 'string'
    default:
      return false
  }
}
