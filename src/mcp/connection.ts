import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientOptions,
  type Progress,
  type Transport,
} from '@modelcontextprotocol/client'
import type { EngineDeath } from '../engine/shared/conversation.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import type { ConfinedServer } from '../engine/process/confined-server.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { DEFAULT_JSON_LIMITS } from '../json/limits.ts'
import { toReason } from './reason.ts'
import { createStreamTransport } from './stream-transport.ts'

/** A client of one running server. */
export interface Connection {
  readonly client: Client
  /** Resolves when nothing further comes of it; how it died, where somebody knows. */
  readonly ended: Promise<EngineDeath | undefined>
  readonly hasEnded: boolean
  /** Asks it to end, and ends it after `graceMs`. Resolves once all of it is gone. */
  close(graceMs: number): Promise<void>
  kill(why: string): void
}

const NEVER_MS = 2_147_483_647

/** Calls a tool; only `signal` ends the wait, whatever progress is told. */
export async function callTool(
  { client }: Connection,
  request: {
    readonly name: string
    readonly arguments: Record<string, unknown>
    readonly _meta?: Record<string, unknown>
  },
  options: {
    readonly signal: AbortSignal
    onprogress(update: Progress): void
  },
): Promise<CallToolResult> {
  const answer = await client.callTool(request, {
    signal: options.signal,
    timeout: NEVER_MS,
    onprogress: options.onprogress,
  })
  return answer as CallToolResult
}

/** Connects to a program that has been started in its sandbox. */
export async function connectProgram(
  server: ConfinedServer,
  options: ConnectOptions,
): Promise<Connection> {
  let isNoisy = false
  const transport = createStreamTransport({
    stdin: server.stdin,
    stdout: server.stdout,
    maxLineBytes: DEFAULT_JSON_LIMITS.bytes,
    noise() {
      if (!isNoisy) options.diagnose('it prints lines that are no messages; they are ignored')
      isNoisy = true
    },
    broken: (why) => server.kill('protocol', why),
  })
  server.stderr.on('data', (chunk: Buffer) => options.stderr(chunk))
  const client = createClient(options)
  let hasEnded = false
  const ended = server.ended.then((death) => {
    hasEnded = true
    return death
  })
  const connection: Connection = {
    client,
    ended,
    get hasEnded() {
      return hasEnded
    },
    async close(graceMs) {
      await server.stop(graceMs)
      await client.close().catch(() => undefined)
    },
    kill: (why) => server.kill('killed', why),
  }
  return await connect(connection, transport, options)
}

/** Connects to a server by URL. */
export async function connectUrl(
  url: string,
  headers: Readonly<Record<string, string>>,
  options: ConnectOptions,
): Promise<Connection> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers }, redirect: 'error' },
    fetch: boundedFetch,
  })
  // Whichever revision the server speaks; over HTTP asking costs one request.
  const client = createClient(options, { versionNegotiation: { mode: 'auto' } })
  const { promise: ended, resolve } = Promise.withResolvers<undefined>()
  let hasEnded = false
  const end = async (): Promise<void> => {
    hasEnded = true
    resolve(undefined)
    await client.close().catch(() => undefined)
  }
  client.onclose = () => {
    hasEnded = true
    resolve(undefined)
  }
  const connection: Connection = {
    client,
    ended,
    get hasEnded() {
      return hasEnded
    },
    close: end,
    kill: () => void end(),
  }
  return await connect(connection, transport as Transport, options)
}

export interface ConnectOptions {
  readonly version: string
  readonly timeoutMs: number
  /** Told that the server's tools may be others now. */
  changed(): void
  stderr(chunk: Buffer): void
  diagnose(text: string): void
}

function createClient(
  { version, changed }: ConnectOptions,
  given: Pick<ClientOptions, 'versionNegotiation'> = {},
): Client {
  const client = new Client(
    { name: 'caisson', version },
    // Values are held to their schemas where every tool's are; a server's schema compiles to nothing here.
    {
      ...given,
      capabilities: {},
      jsonSchemaValidator: {
        getValidator: () => (value) => ({
          valid: true,
          data: value as never,
          errorMessage: undefined,
        }),
      },
    },
  )
  client.setNotificationHandler('notifications/tools/list_changed', () => changed())
  return client
}

async function connect(
  connection: Connection,
  transport: Transport,
  { timeoutMs }: ConnectOptions,
): Promise<Connection> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`it did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  )
  try {
    const died = connection.ended.then((death) => {
      throw new Error(`it ended while it was connected (${death?.cause ?? 'closed'})`)
    })
    died.catch(() => undefined)
    await Promise.race([connection.client.connect(transport, { timeout: timeoutMs }), late, died])
    return connection
  } catch (error) {
    connection.kill('it could not be connected')
    const death = await connection.ended
    const why = death?.cause === 'protocol' ? `it sent ${death.detail}` : toReason(error)
    throw new CaissonError('ENGINE_UNAVAILABLE', `the server cannot be used: ${why}`)
  } finally {
    clearTimeout(timer)
  }
}
