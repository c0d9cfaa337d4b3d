import { Agent, type Dispatcher } from 'undici'
import type { Clock } from '../../../approval/clock.ts'
import type { ModelSettings } from '../config/settings.ts'
import { parseEnvelope } from './envelope.ts'

/** One question to a model. */
export interface ModelRequest {
  readonly settings: ModelSettings
  readonly system: string
  readonly user: string
  /** From start to last byte. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type ModelFailure =
  | 'timeout'
  | 'aborted'
  | 'rate-limit'
  | 'server-error'
  | 'transport'
  | 'unauthorized'
  | 'bad-request'
  | 'redirect'
  | 'too-large'
  | 'empty'
  | 'malformed'

/** What came back: the text of the one choice, or why there is none. */
export type ModelReply =
  | { readonly kind: 'text'; readonly text: string; readonly ms: number }
  | {
      readonly kind: 'failed'
      readonly why: ModelFailure
      readonly retryAfterMs?: number
      readonly ms: number
    }

/** Asks a model once. Never rejects, and never resolves later than the request's deadline. */
export interface ModelTransport {
  ask(request: ModelRequest): Promise<ModelReply>
  close(): Promise<void>
}

export interface TransportOptions {
  readonly clock: Clock
  /** The secret behind a configured name. */
  readonly readKey: (name: string) => string | undefined
}

const MAX_BODY_BYTES = 256 * 1_024
const MAX_HEADER_BYTES = 16 * 1_024
const CONNECT_MS = 5_000
const IDLE_MS = 4_000

/** Creates the transport over HTTP: one request, no redirect, no retry, a capped answer. */
export function createModelTransport({ clock, readKey }: TransportOptions): ModelTransport {
  let agent: Agent | undefined
  const open = (): Agent =>
    (agent ??= new Agent({
      connect: { timeout: CONNECT_MS },
      keepAliveTimeout: IDLE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    }))
  return {
    async ask(request) {
      const begun = clock.now()
      const elapsed = (): number => Math.round(clock.now() - begun)
      const stop = new AbortController()
      const ended = Promise.withResolvers<ModelReply>()
      const end = (why: ModelFailure): void => {
        ended.resolve({ kind: 'failed', why, ms: elapsed() })
        stop.abort()
      }
      const aborted = (): void => end('aborted')
      const clear = clock.after(request.timeoutMs, () => end('timeout'))
      if (request.signal.aborted) aborted()
      else request.signal.addEventListener('abort', aborted, { once: true })
      try {
        const work = exchange(request, open(), stop.signal, readKey)
        return await Promise.race([work.then((reply) => withTime(reply, elapsed())), ended.promise])
      } finally {
        clear()
        request.signal.removeEventListener('abort', aborted)
      }
    },
    async close() {
      await agent?.destroy()
      agent = undefined
    },
  }
}

type Reply =
  { readonly text: string } | { readonly why: ModelFailure; readonly retryAfterMs?: number }

function withTime(reply: Reply, ms: number): ModelReply {
  return 'text' in reply ? { kind: 'text', ...reply, ms } : { kind: 'failed', ...reply, ms }
}

async function exchange(
  { settings, system, user }: ModelRequest,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  readKey: TransportOptions['readKey'],
): Promise<Reply> {
  try {
    const url = new URL(`${settings.baseUrl.replace(/\/+$/, '')}/chat/completions`)
    const key = settings.apiKeyEnv === undefined ? undefined : readKey(settings.apiKeyEnv)
    const response = await dispatcher.request({
      origin: url.origin,
      path: url.pathname,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model: settings.model,
        temperature: 0,
        max_tokens: settings.maxTokens,
        stream: false,
        ...(settings.jsonMode ? { response_format: { type: 'json_object' } } : {}),
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
      }),
      signal,
    })
    return await readReply(response)
  } catch {
    return { why: 'transport' }
  }
}

async function readReply({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Reply> {
  body.on('error', () => undefined) // Whoever reads is told.
  const refusal = refusalOf(statusCode)
  if (refusal !== undefined || headers['content-encoding'] !== undefined) {
    body.destroy()
    const after = retryAfter(headers['retry-after'])
    return {
      why: refusal ?? 'malformed',
      ...(after === undefined ? {} : { retryAfterMs: after }),
    }
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > MAX_BODY_BYTES) {
      body.destroy()
      return { why: 'too-large' }
    }
    chunks.push(bytes)
  }
  return parseEnvelope(Buffer.concat(chunks))
}

function refusalOf(status: number): ModelFailure | undefined {
  if (status === 200) return undefined
  if (status === 429) return 'rate-limit'
  if (status === 401 || status === 403) return 'unauthorized'
  if (status >= 500) return 'server-error'
  if (status >= 300 && status < 400) return 'redirect'
  return status >= 400 ? 'bad-request' : 'malformed'
}

function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,6}$/.test(header)) return undefined
  return Number(header) * 1_000
}
