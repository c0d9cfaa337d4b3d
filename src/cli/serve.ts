import { escapeText } from '../cards/escape.ts'
import type { OperatorConfig } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { hasSources } from '../host/configured-host.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import { loadConfigured, type ConfiguredFailure } from '../host/load-configured.ts'
import { createReloadableHost } from '../host/reloadable-host.ts'
import type { HostOptions } from '../host/spec.ts'
import { version } from '../host/version.ts'
import type { ToolStage } from '../serve/stage.ts'
import { serveOverStdio } from '../serve/stdio.ts'
import { createToolServers, type ToolServers } from '../serve/tool-server.ts'
import { openSharedLog, SHARED_LOG, type SharedLog } from '../session/log/shared-log.ts'
import { attachApproval, COMMAND_APPROVAL, type ApprovalMode } from './attach-approval.ts'
import { checkWorkspace } from './check-workspace.ts'
import { drain } from './drain.ts'
import { listenForHangup } from './hangup.ts'
import { INTERRUPTED, listenForInterrupt } from './interrupt.ts'
import { noteFailures } from './load-target.ts'
import type { Output } from './output.ts'
import { createReloads } from './reloads.ts'
import { serveHttp } from './serve-http.ts'
import { nothingNamed } from './target.ts'

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

/** `caisson serve`: an MCP server over stdio, or over streamable HTTP. */
export async function runServe(output: Output, options: ServeOptions): Promise<number> {
  checkWorkspace(options.workspace)
  using interrupt = listenForInterrupt()
  const reloads = createReloads(output)
  using _hangup = listenForHangup({
    reload: options.config === undefined ? undefined : reloads.request,
    end: interrupt.stop,
  })
  const { session } = options
  using log = session === undefined ? undefined : openSharedLog(session, output.note)
  const stages = createStages(log)
  const left: ConfiguredFailure[] = []
  let servers: ToolServers | undefined
  const starting = createReloadableHost(toHostOptions(options, output), {
    signal: interrupt.signal,
    async setup(host, operator) {
      const failures = await loadNamed(host, options, operator)
      const [first] = failures
      if (servers !== undefined && first !== undefined) throw first.error
      left.push(...failures)
      if (options.approve !== 'ask') attachApproval(host, options.approve)
      stages.open(host, operator.serve.progress)
    },
    replaced: (next) => servers?.replace(stages.of(next)),
  })
  const opened = await interrupt.during(starting, () => settled(starting))
  if (opened === undefined) return INTERRUPTED
  await using reloadable = opened
  const { operator, current, failures } = reloadable
  checkStart(current, [...failures, ...left.splice(0)], output)
  servers = createToolServers({
    stage: stages.of(current),
    name: operator.serve.name ?? 'caisson',
    version: version(),
  })
  reloads.attach(reloadable)
  const http = options.http ?? operator.serve.http
  if (http === undefined) {
    await serveOverStdio(servers, { stop: interrupt.signal, diagnose: output.note })
  } else {
    await serveHttp(servers, { http, operator, output, stop: interrupt.signal })
  }
  await drain(servers, reloadable.operator.serve.drainMs)
  await servers.close()
  return 0
}

function toHostOptions({ config, workspace }: ServeOptions, output: Output): HostOptions {
  return {
    approval: COMMAND_APPROVAL,
    logger: (text) => output.note(`caisson: ${text.split('\n').map(escapeText).join('\n')}`),
    ...(config === undefined ? {} : { config }),
    ...(workspace === undefined ? {} : { workspace }),
  }
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
function checkStart(
  { tools }: ToolHost,
  failures: readonly ConfiguredFailure[],
  output: Output,
): void {
  const [first] = failures
  if (first !== undefined && tools.schemas().length === 0) throw first.error
  noteFailures(failures, output)
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
