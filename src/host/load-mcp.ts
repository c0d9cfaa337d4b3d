import type { McpServerEntry } from '../config/operator-schema.ts'
import type { ProcessEngine } from '../engine/process/engine.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { loadServer, type McpTool } from '../mcp/load-server.ts'
import { openPins } from '../mcp/pins.ts'
import { splitCommand, toServerName } from '../mcp/split-command.ts'
import { parseDefinition, toViolations } from '../registry/parse-definition.ts'
import { fieldsOfManifest } from '../registry/read-definition.ts'
import type { Registration } from '../registry/registration.ts'
import type { Scope } from '../registry/scope.ts'
import type { Profiles } from '../sandbox/load-profiles.ts'
import { compileRawParameters } from '../schema/raw.ts'
import type { JsonObject } from '../types/json.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { RetrySettings } from '../types/tool.ts'
import { INSPECTION } from './inspection.ts'
import type { Kernel } from './kernel.ts'
import type { LoadedTools, LoadOptions } from './load.ts'
import { toOperator } from './operator-settings.ts'

export interface McpParts {
  readonly profiles: Profiles
  readonly programs: Pick<ProcessEngine, 'serve'>
  readonly version: string
}

/** One server to load. */
export interface ServerRequest {
  readonly name: string
  readonly entry: McpServerEntry
  readonly options: LoadOptions
  readonly base: string
}

const MCP_PROFILE = 'mcp-server'
const FORMAT = 'mcp'

/** Loads the tools of an MCP server. All that can be registered are; the others are diagnostics. */
export async function loadMcpServer(
  kernel: Kernel,
  scope: Scope,
  given: ServerRequest,
  parts: McpParts,
): Promise<LoadedTools> {
  const { name, entry, options, base } = given
  const profile = parts.profiles.resolve(options.profile ?? entry.profile ?? MCP_PROFILE)
  if (profile.engine !== 'process') {
    const text = `mcpServers.${name}: profile '${profile.name}' is of engine '${profile.engine}'; a server runs in one of engine 'process'`
    throw new CaissonError('CONFIG_INVALID', text)
  }
  const disposers = new Map<string, () => void>()
  const unregister = (names: readonly string[]): void => {
    for (const each of names) {
      disposers.get(each)?.()
      disposers.delete(each)
    }
    kernel.emit(scope, 'tools/change')
  }
  const register = (tools: readonly McpTool[]): Registration[] => {
    const made = tools.flatMap((tool) =>
      tryRegistration(kernel, tool, { name, entry, profile, options }),
    )
    const added = made.filter((registration) => tryAdd(kernel, scope, registration, disposers))
    if (added.length > 0) kernel.emit(scope, 'tools/change')
    return added
  }
  const server = await loadServer({
    name,
    entry,
    profile,
    base,
    workspace: kernel.spec.workspace,
    programs: parts.programs,
    pins: openPins(kernel.spec.stateHome),
    version: parts.version,
    timeoutMs: entry.startTimeoutMs ?? LOAD_MS,
    hostEnv: process.env,
    diagnose: (text) => (kernel.closed ? undefined : kernel.diagnose(text)),
    added: (tools) => void register(tools),
    removed: unregister,
  })
  const registrations = register(server.tools)
  const dispose = async (): Promise<void> => {
    unregister([...disposers.keys()])
    await server.dispose()
  }
  return {
    tools: registrations.map((registration) => registration.name),
    format: FORMAT,
    state: { name: 'fresh' },
    [INSPECTION]: { manifests: [], registrations },
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

const LOAD_MS = 30_000

interface From {
  readonly name: string
  readonly entry: McpServerEntry
  readonly profile: SandboxProfile
  readonly options: LoadOptions
}

function tryRegistration(kernel: Kernel, tool: McpTool, from: From): Registration[] {
  const { name, entry, profile, options } = from
  const { manifest, destructive, idempotent, body } = tool
  const settings = entry.tools?.[manifest.name]
  if (settings?.enabled === false) return []
  try {
    const fields = fieldsOfManifest({ ...manifest, outputSchema: {} })
    const parsed = parseDefinition(fields, { checkArguments: true })
    const source = `mcp:${name}`
    const timeoutMs = settings?.timeoutMs ?? options.timeoutMs ?? entry.timeoutMs
    const repeats =
      settings?.idempotent ?? options.idempotent ?? (entry.trusted === true && idempotent)
    const retry = settings?.retry ?? options.retry ?? entry.retry
    const operator = toOperator(
      profile,
      {
        ...options,
        idempotent: repeats,
        ...(retry === undefined ? {} : { retry: retry as RetrySettings }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
      { packageRoot: undefined, source },
    )
    return [
      {
        ...parsed,
        ...compileOutput(manifest.outputSchema),
        operator: { ...operator, destructive },
        source,
        format: FORMAT,
        body,
      },
    ]
  } catch (error) {
    if (!isCaissonError(error)) throw error
    kernel.diagnose(`mcp server '${name}': ${manifest.name}: ${toViolations(error).join('; ')}`)
    return []
  }
}

// Servers write whole JSON Schema, for objects; of other values nothing is promised.
function compileOutput(
  schema: JsonObject,
): Partial<Pick<Registration, 'outputSchema' | 'validateOutput'>> {
  if (schema['type'] !== 'object') return {}
  return { outputSchema: schema, validateOutput: compileRawParameters(schema) }
}

function tryAdd(
  kernel: Kernel,
  scope: Scope,
  registration: Registration,
  disposers: Map<string, () => void>,
): boolean {
  try {
    disposers.set(registration.name, scope.layer.add(registration))
    return true
  } catch (error) {
    if (!isCaissonError(error)) throw error
    kernel.diagnose(error.message)
    return false
  }
}

const MCP_PREFIX = 'mcp:'

/** A server by the settings of a configuration, or `mcp:<command and arguments>`. */
export function toServer(source: string, options: LoadOptions, kernel: Kernel): ServerRequest {
  const base = options.base ?? kernel.spec.workspace
  if (options.server !== undefined) return { name: source, entry: options.server, options, base }
  const [command, ...args] = splitCommand(source.slice(MCP_PREFIX.length))
  if (command === undefined) {
    throw new CaissonError('LOAD_FAILED', `${source}: name a command, or a URL`, { source })
  }
  const isUrl = /^https?:\/\//.test(command)
  const entry = isUrl ? { url: command } : { command, args }
  return { name: options.name ?? toServerName(command, args), entry, options, base }
}
