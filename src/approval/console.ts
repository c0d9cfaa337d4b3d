import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CONSOLE_PAGE } from './console-page.ts'
import { createOpenAsks, type OpenAsks } from './open-asks.ts'
import type { Clock } from './clock.ts'
import { isSameToken } from './same-token.ts'
import type { Answerer } from './types.ts'

/** A page on this machine on which a person answers. */
export interface ApprovalConsole {
  /** Holds the token; whoever has it may answer. */
  readonly url: string
  readonly answerer: Answerer
  close(): Promise<void>
}

export interface ConsoleOptions {
  /** 0 for any free one. */
  readonly port: number
  readonly clock: Clock
}

const MAX_BODY = 8 * 1_024
const MAX_STREAMS = 8
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Opens the console on loopback with a fresh token. Rejects with the system's error for a taken port. */
export async function openConsole({ port, clock }: ConsoleOptions): Promise<ApprovalConsole> {
  const token = randomBytes(24).toString('base64url')
  const asks = createOpenAsks(clock)
  const streams = new Set<ServerResponse>()
  const server = createServer(
    { requestTimeout: 5_000, headersTimeout: 5_000 },
    (request, response) => {
      const reply = answerTo(request, { host: hostOf(), token })
      if (reply !== undefined) return send(response, reply)
      route(request, response, { asks, streams })
    },
  )
  const hostOf = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  asks.onChange(() => {
    for (const stream of streams) writeAsks(stream, asks)
  })
  return {
    url: `http://${hostOf()}/?token=${token}`,
    answerer: {
      id: 'console',
      kind: 'human',
      // Nobody looks at a page that is not open.
      available: () => streams.size > 0,
      ask: (question, signal) => asks.open(question, signal),
      advise: (askId, suggestion) => asks.advise(askId, suggestion),
    },
    async close() {
      for (const stream of streams) stream.destroy()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

interface Reply {
  readonly status: number
  readonly body: object
}

// Undefined for a request that may go on.
function answerTo(
  request: IncomingMessage,
  { host, token }: { readonly host: string; readonly token: string },
): Reply | undefined {
  // A page of somebody else that a browser here has open must not get in by name or by form.
  if (request.headers.host !== host) return refuse(403, 'wrong host')
  const { origin } = request.headers
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, 'foreign origin')
  const url = new URL(request.url ?? '/', `http://${host}`)
  const given = url.searchParams.get('token') ?? request.headers['x-caisson-token']
  return isSameToken(String(given), token) ? undefined : refuse(401, 'wrong token')
}

function route(
  request: IncomingMessage,
  response: ServerResponse,
  { asks, streams }: { readonly asks: OpenAsks; readonly streams: Set<ServerResponse> },
): void {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (request.method === 'GET' && pathname === '/') {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' })
    response.end(CONSOLE_PAGE)
    return
  }
  if (request.method === 'GET' && pathname === '/asks') {
    if (streams.size >= MAX_STREAMS) return send(response, refuse(503, 'too many pages'))
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' })
    streams.add(response)
    response.on('close', () => streams.delete(response))
    return writeAsks(response, asks)
  }
  const ask = /^\/asks\/([\w-]{1,64})$/.exec(pathname)?.[1]
  if (request.method !== 'POST' || ask === undefined) return send(response, refuse(404, 'unknown'))
  void readBody(request).then((body) => send(response, toReply(asks.answer(ask, body))))
}

function writeAsks(stream: ServerResponse, asks: OpenAsks): void {
  stream.write(`data: ${JSON.stringify(asks.list())}\n\n`)
}

const STATUS = {
  accepted: 200,
  unknown: 404,
  'already-decided': 409,
  'wrong-nonce': 403,
  invalid: 400,
} as const

function toReply(receipt: keyof typeof STATUS): Reply {
  const status = STATUS[receipt]
  return status === 200 ? { status, body: { ok: true } } : refuse(status, receipt)
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length
      if (size > MAX_BODY) return undefined
      chunks.push(chunk as Buffer)
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined // No answer is in it.
  }
}

function refuse(status: number, error: string): Reply {
  return { status, body: { error } }
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
