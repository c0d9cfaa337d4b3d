import { DEFAULT_JSON_LIMITS } from '../json/limits.ts'

const LF = 0x0a
const CR = 0x0d
/** A message may also hold what is around a value. */
const MAX_MESSAGE_BYTES = DEFAULT_JSON_LIMITS.bytes + 64 * 1024

/**
 * `fetch` whose answers end with an error once a message is longer than any that is taken: the whole
 * body, or one event of a stream of events. What is not read is not buffered either.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  const { body, status, statusText, headers } = response
  if (body === null) return response
  const isEvents = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
  const metered = body.pipeThrough(createMeter(isEvents))
  return new Response(metered, { status, statusText, headers })
}

function createMeter(isEvents: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = isEvents ? endOfLastEvent(chunk) : 0
      bytes = end > 0 ? chunk.length - end : bytes + chunk.length
      if (Math.max(bytes, chunk.length) > MAX_MESSAGE_BYTES)
        controller.error(new Error(`a message of more than ${MAX_MESSAGE_BYTES} bytes`))
      else controller.enqueue(chunk)
    },
  })
}

// Events end with an empty line. One that is cut just there counts on for another chunk.
function endOfLastEvent(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at -= 1) {
    if (chunk[at] !== LF) continue
    const before = chunk[at - 1] === CR ? at - 2 : at - 1
    if (before >= 0 && chunk[before] === LF) return at + 1
  }
  return 0
}
