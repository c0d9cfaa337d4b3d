import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isSameToken } from '../approval/same-token.ts'
import { CaissonError } from '../errors/caisson-error.ts'

/** Who may ask something of a listener. */
export interface GateOptions {
  readonly token: string
  /** Names besides the loopback ones that a request may be addressed to. */
  readonly allowedHosts: readonly string[]
  /** Names of origins besides the loopback ones that a browser may send. */
  readonly allowedOrigins: readonly string[]
}

export interface Address {
  readonly host: string
  readonly port: number
}

export type Refusal = readonly [status: number, text: string]

const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]']

/** Why a request is not answered; undefined when it is. */
export function checkRequest(
  { headers }: IncomingMessage,
  { token, allowedHosts, allowedOrigins }: GateOptions,
): Refusal | undefined {
  const host = nameOf(`http://${headers.host ?? ''}`)
  if (host === undefined || ![...LOOPBACK, ...allowedHosts].includes(host))
    return [403, 'this Host is not served']
  if (headers.origin !== undefined) {
    const origin = nameOf(headers.origin)
    if (origin === undefined || ![...LOOPBACK, ...allowedOrigins].includes(origin))
      return [403, 'this Origin is not allowed']
  }
  const [, given = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '') ?? []
  return isSameToken(given, token) ? undefined : [401, 'a bearer token is needed']
}

function nameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname
}

/** Answers with the reason, in the form of a JSON-RPC error, and closes the connection. */
export function refuse(response: ServerResponse, status: number, text: string): void {
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

/** Listens, and resolves to where. Throws `CONFIG_INVALID`, naming `option`, when nobody can there. */
export async function listenAt(
  server: Server,
  { host, port }: Address,
  { option, path }: { readonly option: string; readonly path: string },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      new CaissonError(
        'CONFIG_INVALID',
        `${option} ${host}:${port}: cannot listen (${error.code})`,
      ),
    ),
  )
  server.listen(port, host, resolve)
  await promise
  const bound = (server.address() as AddressInfo).port
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`
}
