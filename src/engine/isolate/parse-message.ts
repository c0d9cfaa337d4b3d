import type { RunnerMessage } from '../../../workers/isolate/protocol.ts'
import { parseRecord } from '../shared/parse-record.ts'

/** A message as the host heard it; `size` is its length in UTF-16 code units. */
export type HeardMessage = RunnerMessage & {
  readonly size: number
  /** Where several requests share a runner: whose it is. */
  readonly slot?: number
}

/** A runner's frame as a message, or undefined for anything a healthy runner never says. */
export type MessageParser = (text: string) => HeardMessage | undefined

/**
 * Creates the parser of one runner's frames. What stands after the first line break is the body:
 * whatever it says, it cannot change the message around it.
 */
export function createMessageParser(session: string): MessageParser {
  // The events of a call come under one head, and so does what has none: read once, compared after.
  let known = ''
  let head: Readonly<Record<string, unknown>> | undefined
  return (text) => {
    const end = text.indexOf('\n')
    const line = end < 0 ? text : text.slice(0, end)
    if (line !== known) {
      head = parseRecord(line)
      if (head?.['s'] !== session) head = undefined
      known = line
    }
    if (head === undefined) return undefined
    const body = end < 0 ? undefined : parseRecord(text.slice(end + 1))
    const message = { ...head, body, size: text.length }
    return isRunnerMessage(message) ? message : undefined
  }
}

function isRunnerMessage(message: object): message is HeardMessage {
  const m = message as Record<string, unknown>
  if (m['slot'] !== undefined && !Number.isSafeInteger(m['slot'])) return false
  switch (m['t']) {
    case 'ready':
    case 'rested':
    case 'memory':
    case 'dropped':
      return true
    case 'spent':
      return Array.isArray(m['ms']) && m['ms'].every((ms) => typeof ms === 'number')
    case 'described':
      return m['body'] !== undefined
    case 'failed':
      return typeof m['message'] === 'string'
    case 'event':
      return typeof m['id'] === 'string' && m['body'] !== undefined
    case 'quiet':
      return typeof m['id'] === 'string' && typeof m['spoiled'] === 'boolean'
    default:
      return false
  }
}
