import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { CaissonError } from '../errors/caisson-error.ts'
import type { OperatorConfig } from '../config/operator-schema.ts'
import { serveOverHttp } from '../serve/http.ts'
import type { ToolServers } from '../serve/tool-server.ts'
import { drain } from './drain.ts'
import type { Output } from './output.ts'

const DEFAULT_HOST = '127.0.0.1'

/** Where and how a command serves over HTTP. */
export interface HttpScene {
  readonly http: string
  readonly operator: OperatorConfig
  readonly output: Output
  readonly stop: AbortSignal
}

/** Serves over streamable HTTP until `stop` aborts. Throws `CONFIG_INVALID` for an address that is none. */
export async function serveHttp(
  servers: ToolServers,
  { http, operator, output, stop }: HttpScene,
): Promise<void> {
  const { tokenEnv, ...settings } = operator.serve
  const given = tokenEnv === undefined ? undefined : process.env[tokenEnv]
  if (tokenEnv !== undefined && (given === undefined || given === '')) {
    throw new CaissonError('CONFIG_INVALID', `serve.tokenEnv: ${tokenEnv} is not set`)
  }
  const token = given ?? randomBytes(24).toString('base64url')
  const serving = await serveOverHttp(servers, {
    ...parseAddress(http),
    ...settings,
    token,
    diagnose: (text) => output.note(`caisson: ${text}`),
  })
  output.note(`caisson: serving MCP at ${serving.url}`)
  if (given === undefined) output.note(`caisson: bearer token ${token}`)
  if (!stop.aborted) {
    await new Promise<void>((resolve) =>
      stop.addEventListener('abort', () => resolve(), { once: true }),
    )
  }
  serving.stopAccepting()
  await drain(servers, operator.serve.drainMs)
  await serving.close()
}

/** `7331`, `127.0.0.1:7331` or `[::1]:7331`. Throws `CONFIG_INVALID` for anything else. */
function parseAddress(text: string): Pick<AddressInfo, 'port'> & { readonly host: string } {
  const [, bracketed, plain, digits = ''] =
    /^(?:(?:\[([0-9a-f:]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits !== '' && port <= 65_535) return { host: bracketed ?? plain ?? DEFAULT_HOST, port }
  throw new CaissonError('CONFIG_INVALID', `--http ${text}: give a port, or host:port`)
}
