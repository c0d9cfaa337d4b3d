import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import {
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
  type NodeIncomingMessageLike,
} from '@modelcontextprotocol/node'
import { CaissonError } from '../errors/caisson-error.ts'
import type { ToolServers } from './tool-server.ts'

export interface HttpOptions {
  readonly host: string
  readonly port: number
  readonly token: string
  readonly maxSessions: number
  readonly maxBodyBytes: number
  readonly sessionIdleMs: number
  /** Names besides the loopback ones that a request may be addressed to. */
  readonly allowedHosts: readonly string[]
  /** Names of origins besides the loopback ones that a browser may send. */
  readonly allowedOrigins: readonly string[]
  /** Answers `GET /metrics`; absent where there are none. */
  readonly metrics?: () => Promise<string>
  diagnose(text: string): void
}

/** A listening server. */
export interface HttpServing {
  readonly url: string
  /** Takes no further connection; what has begun may end. */
  stopAccepting(): void
  close(): Promise<void>
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]']
const PATH = '/mcp'

/** Serves MCP over streamable HTTP. Throws `CONFIG_INVALID` when the address cannot be listened to. */
export async function serveOverHttp(
  servers: ToolServers,
  options: HttpOptions,
): Promise<HttpServing> {
  const modern = createMcpHandler(servers.factory, {
    legacy: 'reject',
    maxRequestBodySize: options.maxBodyBytes,
    onerror: (error) => options.diagnose(`mcp: ${error.message}`),
  })
  const answerModern = toNodeHandler(modern)
  const off = servers.onChange(() => modern.notify.toolsChanged())
  const sessions = createSessions(servers, options)
  let accepting = true
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      options.diagnose(`http: ${error instanceof Error ? error.message : String(error)}`)
      refuse(response, 500, 'the request could not be served')
    })
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = check(request, options, accepting)
    if (refusal !== undefined) return refuse(response, ...refusal)
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/metrics' && options.metrics !== undefined && request.method === 'GET') {
      response.setHeader('content-type', 'text/plain; version=0.0.4')
      response.end(await options.metrics())
      return
    }
    if (pathname !== PATH) return refuse(response, 404, `MCP is at ${PATH}`)
    if (request.method !== 'POST') return await sessions.answer(request, response, undefined)
    const body = await readBody(request, options.maxBodyBytes)
    if (body === 'large') return refuse(response, 413, 'the body is too large')
    if (body === 'broken') return refuse(response, 400, 'the body is no JSON')
    const message = request as NodeIncomingMessageLike
    const web = await toWebRequest(message, body.json)
    const isLegacy = await isLegacyRequest(web, body.json)
    if (isLegacy) await sessions.answer(request, response, body.json)
    else await answerModern(message, response, body.json)
  }
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const port = await listen(server, options)
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${PATH}`,
    stopAccepting() {
      accepting = false
    },
    async close() {
      off()
      await Promise.all([modern.close(), sessions.close()])
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

type Refusal = readonly [status: number, text: string]

function check(
  { headers }: IncomingMessage,
  { token, allowedHosts, allowedOrigins }: HttpOptions,
  accepting: boolean,
): Refusal | undefined {
  if (!accepting) return [503, 'the server is closing']
  const host = nameOf(`http://${headers.host ?? ''}`)
  if (host === undefined || ![...LOOPBACK, ...allowedHosts].includes(host))
    return [403, 'this Host is not served']
  if (headers.origin !== undefined) {
    const origin = nameOf(headers.origin)
    if (origin === undefined || ![...LOOPBACK, ...allowedOrigins].includes(origin))
      return [403, 'this Origin is not allowed']
  }
  const [, given = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '') ?? []
  return isEqual(given, token) ? undefined : [401, 'a bearer token is needed']
}

function nameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname
}

// Of equal length and in constant time, whatever was sent.
function isEqual(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}

function refuse(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (status === 401) response.setHeader('www-authenticate', 'Bearer')
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: text } }),
  )
}

async function readBody(
  request: IncomingMessage,
  limit: number,
): Promise<{ readonly json: unknown } | 'large' | 'broken'> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > limit) return 'large'
    chunks.push(chunk)
  }
  try {
    return { json: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown }
  } catch {
    return 'broken'
  }
}

/** Sessions of clients that open with a handshake. */
interface Sessions {
  answer(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>
  close(): Promise<void>
}

interface Held {
  readonly transport: NodeStreamableHTTPServerTransport
  used: number
}

function createSessions(servers: ToolServers, options: HttpOptions): Sessions {
  const held = new Map<string, Held>()
  const end = async (id: string): Promise<void> => {
    const session = held.get(id)
    held.delete(id)
    await session?.transport.close()
  }
  const sweep = setInterval(
    () => {
      const oldest = performance.now() - options.sessionIdleMs
      for (const [id, { used }] of held) if (used < oldest) void end(id)
    },
    Math.min(options.sessionIdleMs, 60_000),
  ).unref()
  const openSession = async (): Promise<NodeStreamableHTTPServerTransport> => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: options.maxBodyBytes,
      onsessioninitialized: (id) => void held.set(id, { transport, used: performance.now() }),
      onsessionclosed: (id) => void held.delete(id),
    })
    const server = await servers.factory({ era: 'legacy' })
    await server.connect(transport)
    return transport
  }
  return {
    async answer(request, response, body) {
      const id = request.headers['mcp-session-id']
      const known = typeof id === 'string' ? held.get(id) : undefined
      if (known !== undefined) {
        known.used = performance.now()
        return await known.transport.handleRequest(request, response, body)
      }
      if (id !== undefined) return refuse(response, 404, 'there is no such session')
      if (!isInitialize(body)) return refuse(response, 400, 'open a session first')
      if (held.size >= options.maxSessions) return refuse(response, 503, 'too many sessions')
      await (await openSession()).handleRequest(request, response, body)
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...held.keys()].map(end))
    },
  }
}

function isInitialize(body: unknown): boolean {
  const first: unknown = Array.isArray(body) ? body[0] : body
  return Object(first).method === 'initialize'
}

async function listen(server: Server, { host, port }: HttpOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      new CaissonError('CONFIG_INVALID', `--http ${host}:${port}: cannot listen (${error.code})`),
    ),
  )
  server.listen(port, host, resolve)
  await promise
  return (server.address() as AddressInfo).port
}
