import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import {
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
  type NodeIncomingMessageLike,
} from '@modelcontextprotocol/node'
import type { PrometheusMetrics } from '../observe/prometheus.ts'
import { checkRequest, listenAt, refuse, type Address, type GateOptions } from './gate.ts'
import { answerScrape, METRICS_PATH } from './metrics.ts'
import type { ToolServers } from './tool-server.ts'

export interface HttpOptions extends Address, GateOptions {
  readonly maxSessions: number
  readonly maxBodyBytes: number
  readonly sessionIdleMs: number
  /** What `GET /metrics` answers; absent where there are none. */
  readonly metrics?: PrometheusMetrics | undefined
  diagnose(text: string): void
}

/** A listening server. */
export interface HttpServing {
  readonly url: string
  /** Takes no further connection; what has begun may end. */
  stopAccepting(): void
  close(): Promise<void>
}

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
    if (!accepting) return refuse(response, 503, 'the server is closing')
    const refusal = checkRequest(request, options)
    if (refusal !== undefined) return refuse(response, ...refusal)
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === METRICS_PATH && options.metrics !== undefined)
      return await answerScrape(request, response, options.metrics)
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
  const url = await listenAt(server, options, { option: '--http', path: PATH })
  return {
    url,
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
  let opening = 0
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
      if (held.size + opening >= options.maxSessions)
        return refuse(response, 503, 'too many sessions')
      opening += 1
      try {
        const transport = await openSession()
        await transport.handleRequest(request, response, body)
        // A handshake that was refused has made no session.
        if (!held.has(transport.sessionId ?? '')) await transport.close()
      } finally {
        opening -= 1
      }
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
