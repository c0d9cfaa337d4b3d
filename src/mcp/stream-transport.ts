import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/client'
import { deserialize, type Message } from './message.ts'

export interface StreamTransportSpec {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly maxLineBytes: number
  /** Told of a line that is no message; many servers print some. */
  noise(): void
  /** Told why nothing further is heard. */
  broken(why: string): void
}

const LINE_END = 0x0a
/** No server has so much to say; one that does keeps the host from everything else. */
const MAX_LINES_PER_SECOND = 20_000
/** Of what is no answer. */
const MAX_UNASKED_PER_SECOND = 5_000
/** How much the host reads without looking up; what a message causes runs when it does. */
const TURN_MS = 5
const TURN_LINES = 64
/** What waits for a server that does not read what it is told. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024

/** Messages of a program, one per line. What it says is measured before it is parsed. */
export function createStreamTransport(spec: StreamTransportSpec): Transport {
  const { stdin, stdout, maxLineBytes } = spec
  const isFlood = createFloodGate(MAX_LINES_PER_SECOND)
  const isFloodUnasked = createFloodGate(MAX_UNASKED_PER_SECOND)
  let chunks: Buffer[] = []
  let pending: Buffer[] = []
  let bytes = 0
  let isReading = false
  let isEnding = false
  let isOver = false
  const close = (): void => {
    if (isOver) return
    isOver = true
    chunks = []
    pending = []
    transport.onclose?.()
  }
  const fail = (why: string): void => {
    if (isOver) return
    spec.broken(why)
    close()
  }
  const take = (line: Buffer): void => {
    if (line.length === 0) return
    if (isFlood()) return fail(`more than ${MAX_LINES_PER_SECOND} lines in a second`)
    try {
      const message = deserialize(line)
      const isUnasked = message === undefined || 'method' in message
      if (isUnasked && isFloodUnasked())
        return fail(`more than ${MAX_UNASKED_PER_SECOND} lines in a second that nobody asked for`)
      if (message === undefined) spec.noise()
      else transport.onmessage?.(message)
    } catch {
      fail('a message that is too deep or too much')
    }
  }
  /** Takes what the oldest chunk has of a line. */
  const takeLine = (): void => {
    const chunk = chunks.shift() as Buffer
    const at = chunk.indexOf(LINE_END)
    const part = at < 0 ? chunk : chunk.subarray(0, at)
    bytes += part.length
    if (bytes > maxLineBytes) return fail(`a line of more than ${maxLineBytes} bytes`)
    pending.push(part)
    if (at < 0) return
    if (at + 1 < chunk.length) chunks.unshift(chunk.subarray(at + 1))
    const line = Buffer.concat(pending)
    pending = []
    bytes = 0
    take(line)
  }
  const read = (): void => {
    isReading = true
    const until = performance.now() + TURN_MS
    for (let lines = 0; chunks.length > 0; lines += 1) {
      if (lines >= TURN_LINES || performance.now() > until) {
        stdout.pause()
        setImmediate(read)
        return
      }
      takeLine()
    }
    isReading = false
    if (isEnding) close()
    else stdout.resume()
  }
  const hear = (chunk: Buffer): void => {
    if (isOver) return
    chunks.push(chunk)
    if (!isReading) read()
  }
  const transport: Transport = {
    async start() {
      stdout.on('data', hear)
      stdout.once('close', () => {
        isEnding = true
        if (!isReading) close()
      })
      stdin.on('error', close)
    },
    send: (message: Message) =>
      new Promise((resolve, reject) => {
        if (isOver || stdin.destroyed) return reject(new Error('the server has ended'))
        if (stdin.writableLength > MAX_UNREAD_BYTES) {
          fail('messages without reading the answers')
          return reject(new Error('the server does not read'))
        }
        stdin.write(`${JSON.stringify(message)}\n`, (error) =>
          error === null || error === undefined ? resolve() : reject(error),
        )
      }),
    async close() {
      stdout.off('data', hear)
      close()
    },
  }
  return transport
}

/** Says whether there were more than `limit` of them in the second that runs. */
function createFloodGate(limit: number): () => boolean {
  let since = performance.now()
  let count = 0
  return () => {
    const now = performance.now()
    if (now - since > 1_000) {
      since = now
      count = 0
    }
    count += 1
    return count > limit
  }
}
