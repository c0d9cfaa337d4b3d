import { dirname, resolve } from 'node:path'
import type { OperatorConfig } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { createToolHost, type ToolHost } from '../host/create-tool-host.ts'
import { loadConfigured } from '../host/load-configured.ts'
import { readConfig, type ReadConfig } from '../host/read-config.ts'
import { resolveHostSpec } from '../host/spec.ts'
import { version } from '../host/version.ts'
import { createLog, type Log } from '../observe/log.ts'
import type { LogLevel } from '../observe/log-level.ts'
import { logCalls } from '../observe/log-calls.ts'
import { createPrometheusMetrics, type PrometheusMetrics } from '../observe/prometheus.ts'
import type { Address } from '../serve/gate.ts'
import { serveOverHttp } from '../serve/http.ts'
import { serveMetrics, type MetricsServing } from '../serve/metrics.ts'
import { serveOverStdio } from '../serve/stdio.ts'
import { createToolServers, type ToolServers } from '../serve/tool-server.ts'
import { attachApproval, COMMAND_APPROVAL, type ApprovalMode } from './attach-approval.ts'
import { checkWorkspace } from './check-workspace.ts'
import { listenForInterrupt } from './interrupt.ts'
import { collectSecrets } from './log-secrets.ts'
import type { Output } from './output.ts'
import {
  resolvePlaces,
  resolveToken,
  type PlaceOptions,
  type ServePlaces,
  type ServeToken,
} from './serve-places.ts'

export interface ServeOptions extends PlaceOptions {
  readonly sources: readonly string[]
  readonly tools?: string
  readonly profile?: string
  readonly approve: ApprovalMode
  readonly session?: string
  readonly workspace?: string
  readonly config?: string
  readonly logLevel?: LogLevel
}

/** `caisson serve`: an MCP server over stdio, or over streamable HTTP. */
export async function runServe(output: Output, options: ServeOptions): Promise<number> {
  checkWorkspace(options.workspace)
  const config = readConfig(options.config ?? {})
  const { serve, mcpServers } = config.operator
  const places = resolvePlaces(options, serve)
  const token = resolveToken(serve, process.env)
  const { secrets } = resolveHostSpec(config.options)
  const log = createLog({
    level: options.logLevel ?? serve.logLevel,
    secrets: collectSecrets({ secrets, mcpServers, env: process.env, token: token.value }),
    stream: process.stderr,
  })
  let isRead = true
  try {
    await serveWith({ output, options, config, places, token, log })
  } finally {
    isRead = await log.flush()
  }
  // What nobody reads would keep the process alive.
  if (!isRead) process.exit(0)
  return 0
}

interface Scene {
  readonly output: Output
  readonly options: ServeOptions
  readonly config: ReadConfig
  readonly places: ServePlaces
  readonly token: ServeToken
  readonly log: Log
}

async function serveWith(scene: Scene): Promise<void> {
  const { options, log, config } = scene
  const { serve } = config.operator
  await using host = createToolHost({
    approval: COMMAND_APPROVAL,
    logger: (line) => log.write('warn', line),
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
  })
  await loadAll(host, scene)
  if (options.approve !== 'ask') attachApproval(host, options.approve)
  logCalls(host, log)
  const servers = createToolServers({
    host,
    name: serve.name ?? 'caisson',
    version: version(),
    openAgent: createAgents(host, options.session),
    asksLocked: false,
  })
  using interrupt = listenForInterrupt()
  await serveUntilStopped({ ...scene, host, servers, stop: interrupt.signal })
  log.write('info', 'closing', { running: servers.running })
  await drain(servers, serve.drainMs)
  await servers.close()
}

interface Running extends Scene {
  readonly host: ToolHost
  readonly servers: ToolServers
  readonly stop: AbortSignal
}

/** Serves over HTTP or stdio, with metrics if there are any, until `stop` or the end of the input. */
async function serveUntilStopped(scene: Running): Promise<void> {
  const { servers, stop, places, log } = scene
  const metrics = createMetrics(scene)
  try {
    await using own = await openMetricsListener(scene, metrics)
    if (own !== undefined) announce(scene, 'metrics', own.url)
    if (places.http !== undefined) return await serveHttp(scene, places.http, metrics)
    if (own !== undefined) tellToken(scene)
    log.write('info', 'serving MCP over standard input and output')
    await serveOverStdio(servers, { stop, diagnose: (text) => log.write('warn', text) })
  } finally {
    metrics?.close()
  }
}

function createMetrics({ places, host, servers }: Running): PrometheusMetrics | undefined {
  if (places.metrics === undefined) return undefined
  const inFlight = (): number => servers.running
  return createPrometheusMetrics(host, { version: version(), inFlight })
}

async function openMetricsListener(
  { places, config, token }: Running,
  metrics: PrometheusMetrics | undefined,
): Promise<MetricsServing | undefined> {
  if (metrics === undefined || places.metrics === undefined || places.metrics === 'http')
    return undefined
  const { serve } = config.operator
  return await serveMetrics(metrics, { ...serve, ...places.metrics, token: token.value })
}

async function serveHttp(
  scene: Running,
  address: Address,
  metrics: PrometheusMetrics | undefined,
): Promise<void> {
  const { servers, stop, config, places, token, log } = scene
  const { serve } = config.operator
  const http = await serveOverHttp(servers, {
    ...serve,
    ...address,
    token: token.value,
    metrics: places.metrics === 'http' ? metrics : undefined,
    diagnose: (text) => log.write('warn', text),
  })
  announce(scene, 'MCP', http.url)
  tellToken(scene)
  await untilAborted(stop)
  http.stopAccepting()
  await drain(servers, serve.drainMs)
  await http.close()
}

// Where only programs read, every line is a log line.
function isForPeople({ token }: Scene): boolean {
  return process.stderr.isTTY || !token.isGiven
}

function announce(scene: Scene, what: string, url: string): void {
  if (isForPeople(scene)) scene.output.note(`caisson: serving ${what} at ${url}`)
  scene.log.write('info', `serving ${what}`, { url })
}

// The one line that holds it; the log never does.
function tellToken({ output, token }: Scene): void {
  if (!token.isGiven) output.note(`caisson: bearer token ${token.value}`)
}

async function loadAll(host: ToolHost, { options, config, log }: Scene): Promise<void> {
  const { operator } = config
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
  const given: Pick<OperatorConfig, 'sources' | 'mcpServers'> = { ...operator, sources }
  const { loaded, failures } = await loadConfigured(load, given, baseOf(options))
  const [first] = failures
  if (
    first !== undefined &&
    failures.length === sources.length + Object.keys(operator.mcpServers).length
  )
    throw first.error
  for (const { source, error } of failures) {
    const why = { source, code: error.code, error: error.message }
    log.write('error', 'source not loaded; its tools are not served', why)
  }
  log.write('info', 'tools loaded', { tools: loaded.flatMap((source) => source.tools).length })
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

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function drain(servers: ToolServers, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([servers.idle(), late])
  clearTimeout(timer)
}
