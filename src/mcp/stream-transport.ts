import type { Readable, Writable } from 'node:stream'
import { deserialize, type Message } from './message.ts'
import type { Transport } from '@modelcontextprotocol/client'

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

/** Messages of a program, one per line. What it says is measured before it is parsed. */
export function createStreamTransport(spec: StreamTransportSpec): Transport {
  const { stdin, stdout, maxLineBytes } = spec
  let pending: Buffer[] = []
  let bytes = 0
  let isOver = false
  const close = (): void => {
    if (isOver) return
    isOver = true
    pending = []
    transport.onclose?.()
  }
  const fail = (why: string): void => {
    if (isOver) return
    spec.broken(why)
    close()
  }
  const take = (line: Buffer): void => {
    if (line.length === 0 || isOver) return
    try {
      const message = deserialize(line.toString('utf8'))
      if (message === undefined) spec.noise()
      else transport.onmessage?.(message)
    } catch {
      fail('a message that is too deep or too much')
    }
  }
  const read = (chunk: Buffer): void => {
    let rest = chunk
    for (;;) {
      const at = rest.indexOf(LINE_END)
      const part = at < 0 ? rest : rest.subarray(0, at)
      bytes += part.length
      if (bytes > maxLineBytes) return fail(`a line of more than ${maxLineBytes} bytes`)
      pending.push(part)
      if (at < 0) return
      const line = Buffer.concat(pending)
      pending = []
      bytes = 0
      take(line)
      rest = rest.subarray(at + 1)
      if (isOver) return
    }
  }
  const transport: Transport = {
    async start() {
      stdout.on('data', read)
      stdout.once('close', close)
      stdin.on('error', close)
    },
    send: (message: Message) =>
      new Promise((resolve, reject) => {
        if (isOver || stdin.destroyed) return reject(new Error('the server has ended'))
        stdin.write(`${JSON.stringify(message)}\n`, (error) =>
          error === null || error === undefined ? resolve() : reject(error),
        )
      }),
    async close() {
      stdout.off('data', read)
      close()
    },
  }
  return transport
}
