import fc from 'fast-check'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { connect, type ConnectionOptions } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import { readClientHello } from '../../src/broker/fetch/client-hello.ts'

const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => void server.close())

/** What Node's own client says first. */
async function sayHello(options: ConnectionOptions): Promise<Buffer> {
  const { port } = server.address() as AddressInfo
  const connected = once(server, 'connection')
  const client = connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined)
  const [socket] = (await connected) as [Socket]
  socket.on('error', () => undefined)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  socket.destroy()
  return bytes
}

const hello = await sayHello({ servername: 'api.example.com', ALPNProtocols: ['h2', 'http/1.1'] })

test('readClientHello() finds the name, whatever versions the client speaks', async () => {
  expect(readClientHello(hello)).toEqual({ kind: 'hello', serverName: 'api.example.com' })
  const old = await sayHello({ servername: 'a.test', maxVersion: 'TLSv1.2' })
  expect(readClientHello(old)).toEqual({ kind: 'hello', serverName: 'a.test' })
  expect(readClientHello(await sayHello({}))).toEqual({ kind: 'hello', serverName: undefined })
})

test('readClientHello() waits for the rest, also over several records', () => {
  for (let size = 1; size < hello.length; size += 1) {
    expect(readClientHello(hello.subarray(0, size)).kind).toBe('partial')
  }
  const message = hello.subarray(5)
  const records = [message.subarray(0, 30), message.subarray(30)].map((part) =>
    Buffer.concat([Buffer.from([0x16, 3, 1, 0, part.length]), part]),
  )
  const long = Buffer.concat([
    records[0] ?? message,
    hello.subarray(0, 3),
    lengthOf(message),
    message.subarray(30),
  ])
  expect(readClientHello(long)).toEqual({ kind: 'hello', serverName: 'api.example.com' })
})

function lengthOf(message: Buffer): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(message.length - 30)
  return bytes
}

test('readClientHello() calls what is no TLS, hides its name or names two unreadable', () => {
  const at = hello.indexOf('api.example.com')
  const twice = Buffer.from(hello)
  // The list that holds the name says that there is more after it.
  twice.writeUInt16BE(5, at - 2)
  const encrypted = Buffer.from(hello)
  encrypted.writeUInt16BE(0xfe0d, at - 9)
  for (const bytes of [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.from([0x16, 2, 0, 0, 1, 1]),
    twice,
    encrypted,
  ]) {
    expect(readClientHello(bytes)).toEqual({ kind: 'unreadable' })
  }
})

test('readClientHello() never throws, and finds no name that is not there', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(hello.length - 1), fc.nat(255)), { maxLength: 8 }),
      (edits) => {
        const bytes = Buffer.from(hello)
        for (const [at, value] of edits) bytes[at] = value
        const read = readClientHello(bytes)
        if (read.kind === 'hello' && read.serverName !== undefined) {
          expect(bytes.includes(Buffer.from(read.serverName, 'latin1'))).toBe(true)
        }
      },
    ),
    { numRuns: 500 },
  )
})
