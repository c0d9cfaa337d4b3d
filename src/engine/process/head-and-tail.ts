import type { Readable } from 'node:stream'

/** What a stream has said: its beginning and its end where it said too much. */
export interface HeadAndTail {
  /** Bytes in all. */
  readonly bytes: number
  readonly isCut: boolean
  /** Bytes that are no UTF-8 become U+FFFD; a line says how much is missing. */
  text(): string
}

/** Keeps the first and the last `half` bytes of a stream; `overflow` is called once past `limit`. */
export function keepHeadAndTail(
  stream: Readable,
  { half, limit }: { readonly half: number; readonly limit: number },
  overflow: () => void,
): HeadAndTail {
  const head: Buffer[] = []
  let tail: Buffer[] = []
  let headBytes = 0
  let tailBytes = 0
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    const before = bytes
    bytes += chunk.length
    if (before <= limit && bytes > limit) overflow()
    const room = half - headBytes
    if (room > 0) {
      head.push(chunk.subarray(0, room))
      headBytes += Math.min(room, chunk.length)
    }
    const rest = room > 0 ? chunk.subarray(room) : chunk
    if (rest.length === 0) return
    tail.push(rest)
    tailBytes += rest.length
    if (tailBytes < 2 * half) return
    tail = [Buffer.concat(tail).subarray(-half)]
    tailBytes = tail[0]?.length ?? 0
  })
  return {
    get bytes() {
      return bytes
    },
    get isCut() {
      return bytes > 2 * half
    },
    text() {
      const end = Buffer.concat(tail).subarray(-half)
      const missing = bytes - headBytes - end.length
      const start = Buffer.concat(head).toString('utf8')
      if (missing <= 0) return Buffer.concat([...head, end]).toString('utf8')
      return `${start}\n… ${missing} bytes left out …\n${end.toString('utf8')}`
    },
  }
}
