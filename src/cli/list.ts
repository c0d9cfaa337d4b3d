import { escapeText, escapeToLine } from '../cards/escape.ts'
import { findHiddenText } from '../check/hidden-text.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import type { Agent } from '../host/agent.ts'
import { createConfiguredHost, hasSources, type ConfiguredHost } from '../host/configured-host.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import type { LoadedTools } from '../host/load.ts'
import type { JsonObject } from '../types/json.ts'
import { INTERRUPTED, listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'
import { nothingNamed } from './target.ts'

export interface ListOptions {
  readonly sources: readonly string[]
  /** Default: the host's own, for the pack its own. */
  readonly profile?: string
  /** Pack that comes with the host. */
  readonly tools?: string
  readonly config?: string
}

interface ListedTool {
  readonly source: string
  readonly format: string
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly profile: string
  readonly engine: string
  readonly state: string
  /** Why that is not what the profile asks for. */
  readonly stateReason?: string
  /** Nothing confines what it runs in. */
  readonly confinement?: 'none'
  readonly confinementReason?: string
  /** Of the whole source: what it can be pinned to. */
  readonly digest?: string
  /** What a reader of its texts may not see; absent when there is nothing of the kind. */
  readonly warnings?: readonly string[]
}

interface ListFailure {
  readonly source: string
  readonly code: string
  readonly message: string
}

const AT_ONCE = 4

/**
 * `caisson list`: the tools of each source, and of what a configuration loads; one bad source never
 * hides the others.
 */
export async function runList(output: Output, options: ListOptions): Promise<number> {
  const { config, profile } = options
  const named = [
    ...new Set([...(options.tools === undefined ? [] : [options.tools]), ...options.sources]),
  ]
  if (named.length === 0 && config === undefined) throw nothingNamed('list')
  const configured = await createConfiguredHost({
    ...(config === undefined ? {} : { config }),
    logger: (line) => output.note(`caisson: ${escapeToLine(line)}`),
  })
  await using host = configured.host
  if (profile !== undefined) host.profiles.resolve(profile)
  if (named.length === 0 && !hasSources(configured.operator)) {
    throw new CaissonError('CONFIG_INVALID', `${config} names nothing to load`, {
      config: config ?? '',
    })
  }
  using interrupt = listenForInterrupt()
  const listing = listAll(configured, named, profile)
  const listed = await interrupt.during(listing, () => host.close())
  if (listed === undefined) {
    output.failure(new CaissonError('ABORTED', 'interrupted while listing'))
    return INTERRUPTED
  }
  const { tools, failures } = listed
  if (output.json) output.object({ tools, failures })
  else printList(output, tools, failures)
  return failures.length > 0 ? 2 : 0
}

interface Listing {
  readonly tools: readonly ListedTool[]
  readonly failures: readonly ListFailure[]
}

async function listAll(
  configured: ConfiguredHost,
  named: readonly string[],
  profile: string | undefined,
): Promise<Listing> {
  const ofFile = await listConfigured(configured)
  const ofNamed = await listNamed(configured.host, named, profile)
  return {
    tools: [...ofFile.tools, ...ofNamed.tools],
    failures: [...ofFile.failures, ...ofNamed.failures],
  }
}

// All in one scope, as they are served: two tools of one name are a failure here as there.
async function listConfigured({ host, load }: ConfiguredHost): Promise<Listing> {
  await using session = host.openSession()
  const agent = session.agent('configuration')
  const { loaded, failures } = await load((source, options) => agent.tools.load(source, options))
  const tools = loaded.flatMap(({ source, loaded: one }) => describe(agent, source, one))
  for (const one of loaded) await one.loaded.dispose()
  return {
    tools,
    failures: failures.map(({ source, error: { code, message } }) => ({ source, code, message })),
  }
}

async function listNamed(
  host: ToolHost,
  sources: readonly string[],
  profile: string | undefined,
): Promise<Listing> {
  const tools = new Map<string, ListedTool[]>()
  const failures = new Map<string, ListFailure>()
  const queue = [...sources]
  const work = async (): Promise<void> => {
    for (let source = queue.shift(); source !== undefined; source = queue.shift()) {
      try {
        tools.set(source, await listSource(host, source, profile))
      } catch (error) {
        if (!isCaissonError(error)) throw error
        failures.set(source, { source, code: error.code, message: error.message })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const inOrder = <T>(map: Map<string, T>): T[] =>
    sources.flatMap((source) => map.get(source) ?? [])
  return { tools: inOrder(tools).flat(), failures: inOrder(failures) }
}

// A source is taken out again at once, so that sources with equal tool names can be listed together.
async function listSource(
  host: ToolHost,
  source: string,
  asked: string | undefined,
): Promise<ListedTool[]> {
  await using session = host.openSession()
  const agent = session.agent(source)
  await using loaded = await agent.tools.load(source, asked === undefined ? {} : { profile: asked })
  return describe(agent, source, loaded)
}

function describe({ tools }: Agent, source: string, loaded: LoadedTools): ListedTool[] {
  const { name: state, reason } = loaded.state ?? { name: 'fresh' as const }
  const { unconfined: why, format, digest } = loaded
  const open = why === undefined ? {} : ({ confinement: 'none', confinementReason: why } as const)
  const kept = { state, ...(reason === undefined ? {} : { stateReason: reason }) }
  return loaded.tools.flatMap((name) => {
    const tool = tools.get(name)
    if (tool === undefined) return []
    const { description, parameters, engine, profile = 'none' } = tool
    const described = { source, format, name, description, parameters }
    const pinned = digest === undefined ? {} : { digest }
    const listed = { ...described, profile, engine, ...kept, ...open, ...pinned }
    const warnings = findHiddenText(tool).map(({ where, message }) => `${where} ${message}`)
    return [warnings.length === 0 ? listed : { ...listed, warnings }]
  })
}

function printList(
  output: Output,
  tools: readonly ListedTool[],
  failures: readonly ListFailure[],
): void {
  let source = ''
  for (const tool of tools) {
    if (tool.source !== source) {
      source = tool.source
      output.line(`${source} (${tool.format}, ${tool.profile}, ${tool.engine})`)
      if (tool.stateReason !== undefined) {
        const why = escapeToLine(tool.stateReason)
        output.note(`caisson: ${source}: its calls are ${tool.state}: ${why}`)
      }
      if (tool.confinementReason !== undefined) {
        const why = escapeToLine(tool.confinementReason)
        output.note(`caisson: ${source}: nothing confines what it runs in: ${why}`)
      }
    }
    output.line(`  ${tool.name}  ${escapeToLine(tool.description)}`)
    for (const warning of tool.warnings ?? []) output.line(`    ! ${warning}`)
    for (const line of describeParameters(tool.parameters)) output.line(`      ${line}`)
  }
  for (const { source: failed, code, message } of failures) {
    const where = message.includes(failed) ? '' : `${failed}: `
    output.note(`caisson: ${code}: ${where}${escapeText(message)}`)
  }
}

function describeParameters(schema: JsonObject): string[] {
  const properties = Object.entries(Object(schema['properties']) as Record<string, unknown>)
  const required: unknown = schema['required']
  return properties.map(([name, value]) => {
    const { type, description } = Object(value) as { type?: unknown; description?: unknown }
    const optional = Array.isArray(required) && required.includes(name) ? '' : '?'
    const kind = typeof type === 'string' ? type : 'any'
    const text = typeof description === 'string' ? `  ${escapeToLine(description)}` : ''
    return `${escapeToLine(name)}${optional}: ${kind}${text}`
  })
}
