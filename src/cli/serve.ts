import type { OperatorConfig } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { hasSources } from '../host/configured-host.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import { loadConfigured, type ConfiguredFailure } from '../host/load-configured.ts'
import { readConfig } from '../host/read-config.ts'
import { createReloadableHost } from '../host/reloadable-host.ts'
import type { HostOptions } from '../host/spec.ts'
import { version } from '../host/version.ts'
import { createLog, type Log } from '../observe/log.ts'
import type { LogLevel } from '../observe/log-level.ts'
import { logCalls } from '../observe/log-calls.ts'
import type { ToolStage } from '../serve/stage.ts'
import { createToolServers, type ToolServers } from '../serve/tool-server.ts'
import { openSharedLog, SHARED_LOG, type SharedLog } from '../session/log/shared-log.ts'
import { attachApproval, COMMAND_APPROVAL, type ApprovalMode } from './attach-approval.ts'
import { checkWorkspace } from './check-workspace.ts'
import { drain } from './drain.ts'
import { listenForHangup } from './hangup.ts'
import { INTERRUPTED, listenForInterrupt } from './interrupt.ts'
import { collectSecrets } from './log-secrets.ts'
import type { Output } from './output.ts'
import { createReloads } from './reloads.ts'
import { createMetrics, serveUntilStopped } from './serve-listen.ts'
import {
  resolvePlaces,
  resolveToken,
  type PlaceOptions,
  type ServePlaces,
  type ServeToken,
} from './serve-places.ts'
import { nothingNamed } from './target.ts'

export interface ServeOptions extends PlaceOptions {
  readonly logLevel?: LogLevel
  readonly sources: readonly string[]
  readonly tools?: string
  readonly profile?: string
  readonly approve: ApprovalMode
  readonly session?: string
  readonly workspace?: string
  readonly config?: string
}

/** `caisson serve`: an MCP server over stdio, or over streamable HTTP. */
export async function runServe(output: Output, options: ServeOptions): Promise<number> {
  checkWorkspace(options.workspace)
  const { serve } = readConfig(options.config ?? {}).operator
  const places = resolvePlaces(options, serve)
  const token = resolveToken(serve, process.env)
  const log = createLog({
    level: options.logLevel ?? serve.logLevel,
    stream: process.stderr,
  })
  let isRead = true
  let code = 0
  try {
    code = await serveConfigured({ output, options, places, token, log })
  } finally {
    isRead = await log.flush()
  }
  // What nobody reads would keep the process alive.
  if (!isRead) process.exit(code)
  return code
}

interface Scene {
  readonly output: Output
  readonly options: ServeOptions
  readonly places: ServePlaces
  readonly token: ServeToken
  readonly log: Log
}

async function serveConfigured(scene: Scene): Promise<number> {
  const { options, places, token, log } = scene
  using interrupt = listenForInterrupt()
  const reloads = createReloads(log)
  using _hangup = listenForHangup({
    reload: options.config === undefined ? undefined : reloads.request,
    end: interrupt.stop,
  })
  const { session } = options
  using shared = session === undefined ? undefined : openSharedLog(session, toWarning(log))
  using metrics = createMetrics(places, () => servers?.running() ?? 0)
  const stages = createStages(shared)
  const left: ConfiguredFailure[] = []
  let servers: ToolServers | undefined
  const starting = createReloadableHost(toHostOptions(scene), {
    signal: interrupt.signal,
    read({ secrets, operator: { mcpServers } }) {
      log.hide(collectSecrets({ secrets, mcpServers, env: process.env, token: token.value }))
    },
    async setup(host, operator) {
      const failures = await loadNamed(host, options, operator)
      const [first] = failures
      if (servers !== undefined && first !== undefined) throw first.error
      left.push(...failures)
      if (options.approve !== 'ask') attachApproval(host, options.approve)
      logCalls(host, log)
      stages.open(host, operator.serve.progress)
    },
    replaced(next) {
      metrics?.follow(next)
      return servers?.replace(stages.of(next))
    },
    closed: (before) => metrics?.leave(before),
  })
  const opened = await interrupt.during(starting, () => settled(starting))
  if (opened === undefined) return INTERRUPTED
  await using reloadable = opened
  const { operator, current, failures } = reloadable
  checkStart(current, [...failures, ...left.splice(0)], log)
  metrics?.follow(current)
  servers = createToolServers({
    stage: stages.of(current),
    name: operator.serve.name ?? 'caisson',
    version: version(),
  })
  reloads.attach(reloadable)
  await serveUntilStopped({ ...scene, servers, reloadable, metrics, stop: interrupt.signal })
  log.write('info', 'closing', { running: servers.running() })
  await drain(servers, reloadable.operator.serve.drainMs)
  await servers.close()
  return 0
}

function toHostOptions({ options: { config, workspace }, log }: Scene): HostOptions {
  return {
    approval: COMMAND_APPROVAL,
    logger: toWarning(log),
    ...(config === undefined ? {} : { config }),
    ...(workspace === undefined ? {} : { workspace }),
  }
}

function toWarning(log: Log): (line: string) => void {
  return (line) => log.write('warn', line)
}

async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined)
}

/** Loads the sources of the command line, which each configuration is served with. */
async function loadNamed(
  host: ToolHost,
  { tools, profile, sources }: ServeOptions,
  operator: OperatorConfig,
): Promise<readonly ConfiguredFailure[]> {
  if (sources.length === 0 && tools === undefined && !hasSources(operator)) {
    throw nothingNamed('serve')
  }
  const named = [...(tools === undefined ? [] : [tools]), ...sources]
  const { failures } = await loadConfigured(
    (source, given) => host.tools.load(source, given),
    {
      sources: named.map((source) => ({ source, ...(profile === undefined ? {} : { profile }) })),
      mcpServers: {},
    },
    '.',
    () => undefined,
  )
  return failures
}

/** What a start leaves out is told; a start that leaves out everything is none. */
function checkStart({ tools }: ToolHost, failures: readonly ConfiguredFailure[], log: Log): void {
  const [first] = failures
  const count = tools.schemas().length
  if (first !== undefined && count === 0) throw first.error
  for (const { source, error } of failures) {
    const why = { source, code: error.code, error: error.message }
    log.write('error', 'source not loaded; its tools are not served', why)
  }
  log.write('info', 'tools loaded', { tools: count })
}

interface Stages {
  open(host: ToolHost, progress: boolean): void
  /** Throws for a host that was never opened. */
  of(host: ToolHost): ToolStage
}

/** An agent per connection; one log, if any, holds what those of every host do. */
function createStages(log: SharedLog | undefined): Stages {
  const stages = new WeakMap<ToolHost, ToolStage>()
  let count = 0
  return {
    open(host, progress) {
      const shared = log === undefined ? {} : { [SHARED_LOG]: log }
      const session = host.openSession({ cards: true, ...shared })
      const openAgent: ToolStage['openAgent'] = () => {
        count += 1
        const agent = session.agent(`mcp-${count}`)
        return { agent, close: () => agent.dispose() }
      }
      stages.set(host, { host, progress, openAgent })
    },
    of(host) {
      const stage = stages.get(host)
      if (stage === undefined) throw new CaissonError('HOST_CLOSED', 'the host is not served')
      return stage
    },
  }
}
