import type { IncomingMessage } from 'node:http'
import { CONNECTION_HEADERS, isOfConnection } from '../../broker/fetch/connection-headers.ts'
import type { JsonObject, JsonValue } from '../../types/json.ts'

/** What goes back to a program that asked through the proxy. */
export interface ProxiedAnswer {
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

const BAD_GATEWAY = 502
const TOO_LARGE = 413

/**
 * A proxied request as the fetch broker takes it; unchecked but for its size. Rejects when the program
 * breaks it off.
 */
export async function readProxied(
  request: IncomingMessage,
  bodyBytes: number,
): Promise<{ readonly payload: JsonObject } | { readonly refused: ProxiedAnswer }> {
  const { url = '', method = '' } = request
  const chunks: Buffer[] = []
  let bytes = 0
  // Whoever says too much is still told so.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const part = chunk as Buffer
    bytes += part.length
    if (bytes > bodyBytes) return { refused: tooLarge(bodyBytes) }
    chunks.push(part)
  }
  const payload = {
    url,
    method,
    headers: toPairs(request.rawHeaders),
    // A client follows by itself, and every hop is checked as it comes.
    redirect: 'manual',
    ...(bytes === 0 ? {} : { body: Buffer.concat(chunks).toString('base64') }),
  }
  return { payload }
}

/** What the fetch broker answered, as a program is told. */
export function toProxiedAnswer(answer: JsonValue): ProxiedAnswer {
  const { status, statusText, headers, body, failed } = Object(answer) as {
    readonly status?: number
    readonly statusText?: string
    readonly headers?: readonly (readonly [string, string])[]
    readonly body?: string
    readonly failed?: { readonly code: string; readonly message: string }
  }
  if (status === undefined || headers === undefined) {
    const text = `caisson: ${failed?.message ?? 'the request failed'} (${failed?.code ?? 'UND_ERR'})\n`
    const plain = [['content-type', 'text/plain; charset=utf-8']] as const
    return {
      status: BAD_GATEWAY,
      statusText: 'Bad Gateway',
      headers: plain,
      body: Buffer.from(text),
    }
  }
  const bytes = Buffer.from(body ?? '', 'base64')
  return {
    status,
    statusText: statusText ?? '',
    // The body has been decoded.
    headers: headers.filter(
      ([name]) => !CONNECTION_HEADERS.has(name) && name !== 'content-encoding',
    ),
    body: bytes,
  }
}

function tooLarge(bodyBytes: number): ProxiedAnswer {
  return {
    status: TOO_LARGE,
    statusText: 'Content Too Large',
    headers: [
      ['content-type', 'text/plain; charset=utf-8'],
      ['x-caisson-code', 'OUTPUT_LIMIT'],
    ],
    body: Buffer.from(`caisson: OUTPUT_LIMIT: a body may have ${bodyBytes} bytes\n`),
  }
}

function toPairs(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]]
    if (!isOfConnection(name.toLowerCase())) pairs.push([name, value])
  }
  return pairs
}
