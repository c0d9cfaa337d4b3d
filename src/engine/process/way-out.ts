import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { isCaissonError } from '../../errors/caisson-error.ts'
import type { ErrorCode } from '../../errors/codes.ts'
import { createGate, type Gate } from '../shared/gate.ts'
import type { CallServices } from '../../types/engine.ts'
import { readProxied, toProxiedAnswer, type ProxiedAnswer } from './proxied.ts'

/** Who answers what comes in by a door: the brokers of one call. */
export type Outward = Pick<CallServices, 'request' | 'tunnel'>

/** The only way from a program to the network: a proxy that asks the brokers about everything. */
export interface WayOut {
  /** From now on requests are put to `outward`; before, and after `close()`, all are refused. */
  open(outward: Outward): void
  close(): void
}

export interface WayOutSpec {
  /** Of the body of one request; larger ones are not read to their end. */
  readonly bodyBytes: number
  /** Connections that are accepted in all: what comes then finds no door. */
  readonly connections: number
}

const MAX_OPEN = 32
/** Requests whose bodies are in memory at once: no more of them are sent at once either. */
const MAX_READING = 6
const MAX_HEADER_BYTES = 32 * 1024
const HEADERS_MS = 15_000
const REQUEST_MS = 60_000
const CODE_HEADER = 'x-caisson-code'
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  CAPABILITY_DENIED: 403,
  INVALID_ARGS: 400,
  OVERLOADED: 429,
}
const BAD_GATEWAY = 502

/** Serves a proxy on connections that a door accepts, once it is there. One connection is one request. */
export function createWayOut(coming: Promise<Server | undefined>, spec: WayOutSpec): WayOut {
  let outward: Outward | undefined
  let door: Server | undefined
  let closed = false
  const sockets = new Set<Socket>()
  const proxy = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAlive: false,
    joinDuplicateHeaders: false,
  })
  proxy.maxRequestsPerSocket = 1
  const reading = createGate(MAX_READING)
  let left = spec.connections
  const count = (): void => {
    left -= 1
    if (left <= 0) door?.close()
  }
  const receive = (socket: Socket): void => {
    count()
    sockets.add(socket)
    socket.on('error', () => undefined) // Its close tells.
    socket.once('close', () => sockets.delete(socket))
    proxy.emit('connection', socket)
  }
  void coming.then((opened) => {
    door = opened
    if (opened === undefined) return
    opened.maxConnections = MAX_OPEN
    // Who has said all still waits for the answer.
    Object.assign(opened, { allowHalfOpen: true })
    opened.on('error', () => undefined)
    opened.on('connection', receive)
    opened.on('drop', count)
    if (closed) opened.close()
  })
  proxy.on('request', (request, response) => {
    const served = { bodyBytes: spec.bodyBytes, reading, outward }
    void answer(request, served).then((given) => write(response, given))
  })
  proxy.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void connect(request, { socket, head }, outward)
  })
  proxy.on('clientError', (_error, socket: Duplex) => socket.destroy())
  proxy.on('dropRequest', (_request, socket: Duplex) => socket.destroy())
  return {
    open(given) {
      outward = given
    },
    close() {
      outward = undefined
      closed = true
      door?.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function answer(
  request: IncomingMessage,
  served: {
    readonly bodyBytes: number
    readonly reading: Gate
    readonly outward: Outward | undefined
  },
): Promise<ProxiedAnswer> {
  const { bodyBytes, reading, outward } = served
  if (outward === undefined) return NOT_LIVE
  const leave = await reading.enter()
  try {
    const read = await readProxied(request, bodyBytes)
    if ('refused' in read) return read.refused
    return toProxiedAnswer(await outward.request('fetch', read.payload))
  } catch (error) {
    return toRefusal(error)
  } finally {
    leave()
  }
}

async function connect(
  { url = '' }: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  outward: Outward | undefined,
): Promise<void> {
  let accepted = false
  const accept = (): Duplex => {
    accepted = true
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    return socket
  }
  const refuse = ({ status, headers, body }: ProxiedAnswer): void => {
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(`HTTP/1.1 ${status} Refused\r\n${lines}connection: close\r\n\r\n${body.toString()}`)
  }
  try {
    if (outward === undefined) return refuse(NOT_LIVE)
    const end = await outward.tunnel({ authority: url, accept })
    if (!accepted) refuse(toProxiedAnswer(end))
  } catch (error) {
    if (accepted) socket.destroy()
    else refuse(toRefusal(error))
  }
}

const NOT_LIVE = toText(403, 'CAPABILITY_DENIED', 'no call is live')

function toRefusal(error: unknown): ProxiedAnswer {
  if (!isCaissonError(error)) return toText(BAD_GATEWAY, undefined, 'the request failed')
  return toText(STATUS[error.code] ?? BAD_GATEWAY, error.code, error.message)
}

function toText(status: number, code: string | undefined, text: string): ProxiedAnswer {
  const headers: [string, string][] = [['content-type', 'text/plain; charset=utf-8']]
  if (code !== undefined) headers.push([CODE_HEADER, code])
  const body = Buffer.from(`caisson: ${code === undefined ? '' : `${code}: `}${text}\n`)
  return { status, statusText: 'Refused', headers, body }
}

function write(response: ServerResponse, answer: ProxiedAnswer): void {
  if (response.destroyed) return
  response.shouldKeepAlive = false
  const { status, statusText, headers, body } = answer
  try {
    response.writeHead(status, statusText, headers.flat())
    response.end(body)
  } catch {
    response.destroy() // A header that Node will not send.
  }
}
