/** What the beginning of a connection says of itself. */
export type ClientHello =
  | { readonly kind: 'partial' }
  /** No TLS, or one that hides whom it asks for. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'hello'; readonly serverName: string | undefined }

const RECORD_HEAD = 5
const MESSAGE_HEAD = 4
const HANDSHAKE = 0x16
const TLS_MAJOR = 3
const CLIENT_HELLO = 1
const MAX_RECORD = 16 * 1024
const MAX_HELLO = 16 * 1024
const VERSION_AND_RANDOM = 34
const SERVER_NAME = 0
const HOST_NAME = 0
/** What is asked for is encrypted, and the name outside of it is another. */
const ENCRYPTED_HELLO = 0xfe0d

/** Reads the name that a TLS client asks for, from the first bytes it sends. Never throws. */
export function readClientHello(bytes: Buffer): ClientHello {
  const message = joinRecords(bytes)
  if (message === undefined) return { kind: 'unreadable' }
  if (message.length < MESSAGE_HEAD) return { kind: 'partial' }
  const size = message.readUIntBE(1, 3)
  if (message[0] !== CLIENT_HELLO || size > MAX_HELLO) return { kind: 'unreadable' }
  if (message.length < MESSAGE_HEAD + size) return { kind: 'partial' }
  try {
    return readExtensions(message.subarray(MESSAGE_HEAD, MESSAGE_HEAD + size))
  } catch {
    return { kind: 'unreadable' } // A length in it leads beyond its end.
  }
}

/** What the records so far carry; undefined when they are none of a handshake. */
function joinRecords(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== HANDSHAKE) return parts.length === 0 ? undefined : Buffer.concat(parts)
    if (bytes.length < at + RECORD_HEAD) break
    const size = bytes.readUInt16BE(at + 3)
    if (bytes[at + 1] !== TLS_MAJOR || size === 0 || size > MAX_RECORD) return undefined
    parts.push(bytes.subarray(at + RECORD_HEAD, at + RECORD_HEAD + size))
    at += RECORD_HEAD + size
  }
  return Buffer.concat(parts)
}

function readExtensions(hello: Buffer): ClientHello {
  let at = VERSION_AND_RANDOM
  at += 1 + hello.readUInt8(at) // session id
  at += 2 + hello.readUInt16BE(at) // cipher suites
  at += 1 + hello.readUInt8(at) // compression
  if (at === hello.length) return { kind: 'hello', serverName: undefined }
  const end = at + 2 + hello.readUInt16BE(at)
  let serverName: string | undefined
  for (at += 2; at < end;) {
    const type = hello.readUInt16BE(at)
    const size = hello.readUInt16BE(at + 2)
    if (type === ENCRYPTED_HELLO) return { kind: 'unreadable' }
    if (type === SERVER_NAME) {
      if (serverName !== undefined || hello.readUInt8(at + 6) !== HOST_NAME)
        return { kind: 'unreadable' }
      const length = hello.readUInt16BE(at + 7)
      // One name, and nothing after it.
      if (length + 5 !== size) return { kind: 'unreadable' }
      serverName = hello.toString('latin1', at + 9, at + 9 + length)
    }
    at += 4 + size
  }
  return { kind: 'hello', serverName }
}
