import { escapeText, escapeToLine } from '../cards/escape.ts'
import { findHiddenText } from '../check/hidden-text.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { createToolHost, type ToolHost } from '../host/create-tool-host.ts'
import type { JsonObject } from '../types/json.ts'
import { INTERRUPTED, listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'

export interface ListOptions {
  readonly sources: readonly string[]
  /** Default: the host's own, for the pack its own. */
  readonly profile?: string
  /** Pack that comes with the host. */
  readonly tools?: string
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

/** `caisson list`: the tools of each source; one bad source never hides the others. */
export async function runList(output: Output, options: ListOptions): Promise<number> {
  await using host = createToolHost()
  if (options.profile !== undefined) host.profiles.resolve(options.profile)
  const sources = [
    ...new Set([...(options.tools === undefined ? [] : [options.tools]), ...options.sources]),
  ]
  if (sources.length === 0) throw new CaissonError('CONFIG_INVALID', 'list: name a source')
  const tools = new Map<string, ListedTool[]>()
  const failures = new Map<string, ListFailure>()
  const queue = [...sources]
  const work = async (): Promise<void> => {
    for (let source = queue.shift(); source !== undefined; source = queue.shift()) {
      try {
        tools.set(source, await describe(host, source, options.profile))
      } catch (error) {
        if (!isCaissonError(error)) throw error
        failures.set(source, { source, code: error.code, message: error.message })
      }
    }
  }
  using interrupt = listenForInterrupt()
  const listing = Promise.all(Array.from({ length: AT_ONCE }, work))
  if ((await interrupt.during(listing, () => host.close())) === undefined) {
    output.failure(new CaissonError('ABORTED', 'interrupted while listing'))
    return INTERRUPTED
  }
  const inOrder = <T>(map: Map<string, T>): T[] =>
    sources.flatMap((source) => map.get(source) ?? [])
  const found = inOrder(tools).flat()
  const failed = inOrder(failures)
  if (output.json) output.object({ tools: found, failures: failed })
  else printList(output, found, failed)
  return failed.length > 0 ? 2 : 0
}

// A source is taken out again at once, so that sources with equal tool names can be listed together.
async function describe(
  host: ToolHost,
  source: string,
  asked: string | undefined,
): Promise<ListedTool[]> {
  await using session = host.openSession()
  const agent = session.agent(source)
  await using loaded = await agent.tools.load(source, asked === undefined ? {} : { profile: asked })
  const { name: state, reason } = loaded.state ?? { name: 'fresh' as const }
  const { unconfined: why, digest } = loaded
  const open = why === undefined ? {} : ({ confinement: 'none', confinementReason: why } as const)
  const kept = { state, ...(reason === undefined ? {} : { stateReason: reason }) }
  return loaded.tools.flatMap((name) => {
    const tool = agent.tools.get(name)
    if (tool === undefined) return []
    const { description, parameters, engine, profile = 'none' } = tool
    const { format } = loaded
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
    output.note(`caisson: ${code}: ${failed}: ${escapeText(message)}`)
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
