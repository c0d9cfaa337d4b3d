import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { dirname, resolve } from 'node:path'
import { escapeText } from '../cards/escape.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { createToolHost, type ToolHost } from '../host/create-tool-host.ts'
import { loadConfigured } from '../host/load-configured.ts'
import { readConfig } from '../host/read-config.ts'
import type { OperatorConfig } from '../config/operator-schema.ts'
import { serveOverHttp } from '../serve/http.ts'
import { serveOverStdio } from '../serve/stdio.ts'
import { createToolServers, type ToolServers } from '../serve/tool-server.ts'
import { attachApproval, COMMAND_APPROVAL, type ApprovalMode } from './attach-approval.ts'
import { checkWorkspace } from './check-workspace.ts'
import { listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'
import { version } from '../host/version.ts'

export interface ServeOptions {
  readonly sources: readonly string[]
  readonly tools?: string
  readonly http?: string
  readonly profile?: string
  readonly approve: ApprovalMode
  readonly session?: string
  readonly workspace?: string
  readonly config?: string
}

const DEFAULT_HOST = '127.0.0.1'

/** `caisson serve`: an MCP server over stdio, or over streamable HTTP. */
export async function runServe(output: Output, options: ServeOptions): Promise<number> {
  checkWorkspace(options.workspace)
  const operator = readConfig(options.config ?? {}).operator
  await using host = createToolHost({
    approval: COMMAND_APPROVAL,
    logger: (text) => output.note(`caisson: ${text.split('\n').map(escapeText).join('\n')}`),
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
  })
  await loadAll(host, options, operator, output)
  if (options.approve !== 'ask') attachApproval(host, options.approve)
  const servers = createToolServers({
    host,
    name: operator.serve.name ?? 'caisson',
    version: version(),
    openAgent: createAgents(host, options.session),
    asksLocked: false,
    progress: operator.serve.progress,
  })
  using interrupt = listenForInterrupt()
  const http = options.http ?? operator.serve.http
  if (http === undefined) {
    await serveOverStdio(servers, { stop: interrupt.signal, diagnose: output.note })
  } else {
    await serveHttp(servers, { http, operator, output, stop: interrupt.signal })
  }
  await drain(servers, operator.serve.drainMs)
  await servers.close()
  return 0
}

async function loadAll(
  host: ToolHost,
  options: ServeOptions,
  operator: OperatorConfig,
  output: Output,
): Promise<void> {
  const { tools, profile } = options
  const named = [...(tools === undefined ? [] : [tools]), ...options.sources]
  const sources = [
    ...operator.sources,
    ...named.map((source) => ({ source, ...(profile === undefined ? {} : { profile }) })),
  ]
  if (sources.length === 0 && Object.keys(operator.mcpServers).length === 0) {
    throw new CaissonError('CONFIG_INVALID', 'serve: name a source, --tools builtin or --config')
  }
  const load: ToolHost['tools']['load'] = (source, given) => host.tools.load(source, given)
  const { failures } = await loadConfigured(
    load,
    { sources, mcpServers: operator.mcpServers },
    baseOf(options),
  )
  const [first] = failures
  if (
    first !== undefined &&
    failures.length === sources.length + Object.keys(operator.mcpServers).length
  )
    throw first.error
  for (const { source, error } of failures) {
    output.note(`caisson: ${error.code}: ${source}: ${error.message}; its tools are not served`)
  }
}

function baseOf({ config, workspace }: ServeOptions): string {
  if (config !== undefined) return dirname(resolve(config))
  return resolve(workspace ?? '.')
}

/** An agent per connection, each in a session of its own; one log holds all of them. */
function createAgents(
  host: ToolHost,
  log: string | undefined,
): Parameters<typeof createToolServers>[0]['openAgent'] {
  const session = host.openSession({ cards: true, ...(log === undefined ? {} : { log }) })
  let count = 0
  return () => {
    count += 1
    const agent = session.agent(`mcp-${count}`)
    return { agent, close: () => agent.dispose() }
  }
}

interface HttpScene {
  readonly http: string
  readonly operator: OperatorConfig
  readonly output: Output
  readonly stop: AbortSignal
}

async function serveHttp(
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

async function drain(servers: ToolServers, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([servers.idle(), late])
  clearTimeout(timer)
}

/** `7331`, `127.0.0.1:7331` or `[::1]:7331`. Throws `CONFIG_INVALID` for anything else. */
function parseAddress(text: string): Pick<AddressInfo, 'port'> & { readonly host: string } {
  const [, bracketed, plain, digits = ''] =
    /^(?:(?:\[([0-9a-f:]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits !== '' && port <= 65_535) return { host: bracketed ?? plain ?? DEFAULT_HOST, port }
  throw new CaissonError('CONFIG_INVALID', `--http ${text}: give a port, or host:port`)
}
