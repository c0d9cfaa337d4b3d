import { z } from 'zod'
import type { JsonValue } from '../../types/json.ts'
import { parsePayload } from '../parse-payload.ts'
import { badRequest } from '../refusals.ts'
import { isOfConnection } from './connection-headers.ts'

export type Header = readonly [name: string, value: string]

/** A request as a tool describes it: well-formed, not yet allowed. Header names are lower-case. */
export interface FetchRequest {
  readonly url: string
  readonly method: string
  readonly headers: readonly Header[]
  readonly body: Buffer | undefined
  readonly redirect: 'follow' | 'manual' | 'error'
}

const MAX_BODY_TEXT = 45 * 1024 * 1024
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/

const schema = z.strictObject({
  url: z.string().max(8_192),
  method: z.string().max(32).regex(TOKEN, 'a method is one word'),
  headers: z.array(z.tuple([z.string().max(256), z.string().max(16_384)])).max(128),
  body: z.base64().max(MAX_BODY_TEXT).optional(),
  redirect: z.enum(['follow', 'manual', 'error']),
})

/** Reads a request. Throws `INVALID_ARGS` for one that cannot be sent as it is written. */
export function parseFetchRequest(payload: JsonValue): FetchRequest {
  const { headers, body, ...rest } = parsePayload(schema, payload, 'fetch')
  const violations = headers.flatMap(([name, value]) => violationsOf(name, value))
  if (body !== undefined && (rest.method === 'GET' || rest.method === 'HEAD'))
    violations.push(`a ${rest.method} request has no body`)
  if (violations.length > 0) throw badRequest('fetch', violations.slice(0, 8))
  return {
    ...rest,
    headers: headers.map(([name, value]) => [name.toLowerCase(), value]),
    body: body === undefined ? undefined : Buffer.from(body, 'base64'),
  }
}

function violationsOf(name: string, value: string): string[] {
  if (!TOKEN.test(name)) return ['a header name is no token']
  const lower = name.toLowerCase()
  if (isOfConnection(lower)) return [`the header ${lower} is not a tool's`]
  return BAD_VALUE.test(value)
    ? [`the value of ${lower} has a character that no header can hold`]
    : []
}
