import { setImmediate } from 'node:timers/promises'
import { BUILTIN_SOURCE, type BuiltinBackends } from '../builtin/pack.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import type { Bundler } from '../loader/bundler-client.ts'
import type { McpServerEntry } from '../config/operator-schema.ts'
import { createLoadGate } from '../loader/load-gate.ts'
import { loadOwnTool } from '../loader/load-own-tool.ts'
import { loadSource, type SourceEngine } from '../loader/load-source.ts'
import { isCommandSource } from '../loader/read-command.ts'
import { resolveSource } from '../loader/resolve-source.ts'
import type { ToolDescriptor } from '../policies/auto-approval/assessor-types.ts'
import { parseDefinition, toViolations } from '../registry/parse-definition.ts'
import { fieldsOfManifest } from '../registry/read-definition.ts'
import type { Registration } from '../registry/registration.ts'
import type { Scope } from '../registry/scope.ts'
import type { Profiles } from '../sandbox/load-profiles.ts'
import type { ToolManifest } from '../types/engine.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { KeptState } from '../types/source.ts'
import type { RetrySettings } from '../types/tool.ts'
import { INSPECTION, type InspectedSource, type InspectionRequest } from './inspection.ts'
import type { Kernel } from './kernel.ts'
import { loadBuiltin, type BuiltinParts } from './load-builtin.ts'
import type { McpParts } from './load-mcp.ts'
import { checkSecrets, chooseTools, toOperator } from './operator-settings.ts'

/** What an operator fixes for a source and every tool in it. */
export interface LoadOptions {
  /** Name of the sandbox profile. Default: the host's default profile. */
  readonly profile?: string
  /** Plugin configuration; JSON. */
  readonly config?: unknown
  /** How the source is called in listings. Default: as given. */
  readonly name?: string
  readonly timeoutMs?: number
  readonly memoryMb?: number
  readonly retry?: RetrySettings
  readonly idempotent?: boolean
  /** Back ends of `ask_user` and `subagent`; only the source `builtin` has tools for them. */
  readonly backends?: BuiltinBackends
  /** How approval classifies tools of this source, by name; what is not named nobody has. */
  readonly policy?: Readonly<Record<string, ToolDescriptor>>
  /** Settings of single tools, over those of the source. */
  readonly tools?: Readonly<Record<string, ToolSettings>>
  /** Only these tools of the source. */
  readonly only?: readonly string[]
  /** The source is the name of this MCP server. */
  readonly server?: McpServerEntry
  /** Folder that relative paths of `server` start in. Default: the workspace. */
  readonly base?: string
  readonly [INSPECTION]?: InspectionRequest
}

/** What an operator fixes for one tool of a source. */
export interface ToolSettings {
  readonly timeoutMs?: number | undefined
  readonly retry?: RetrySettings | undefined
  readonly idempotent?: boolean | undefined
  /** False leaves the tool out. */
  readonly enabled?: boolean | undefined
}

/** A loaded source: its tools' names, and how to take them out again. */
export interface LoadedTools extends AsyncDisposable {
  readonly tools: readonly string[]
  readonly format: string
  /** What its calls share, where the profile asks for another state than `fresh`. */
  readonly state?: KeptState
  /** Why nothing confines what its calls run in; absent where something does, and in threads. */
  readonly unconfined?: string
  readonly [INSPECTION]: InspectedSource
  dispose(): Promise<void>
}

interface LoaderParts {
  readonly bundler: Bundler
  /** The engine a profile names. Throws `CONFIG_INVALID` for one that is not there. */
  engineOf(profile: SandboxProfile): SourceEngine
  readonly profiles: Profiles
  readonly programs: BuiltinParts['programs'] & McpParts['programs']
  readonly isolate: BuiltinParts['isolate']
  readonly version: string
}

const COMMAND_PROFILE = 'shell'

/** Loads a source and registers its tools in `scope`. */
export type SourceLoader = (
  scope: Scope,
  source: string,
  options: LoadOptions,
) => Promise<LoadedTools>

/** Creates the loader behind `tools.load`. Either all tools of a source are registered or none. */
export function createLoader(kernel: Kernel, parts: LoaderParts): SourceLoader {
  const gate = createLoadGate()
  const builtin: BuiltinParts = {
    profiles: parts.profiles,
    programs: parts.programs,
    addAll,
    toOperator: (profile, options) =>
      toOperator(profile, options, { packageRoot: undefined, source: BUILTIN_SOURCE }),
    isolate: parts.isolate,
    loadFetch: (profile) => loadOwnTool('tools/web-fetch', { ...parts, profile }),
  }
  return async (scope, source, options) => {
    if (source === BUILTIN_SOURCE) return await loadBuiltin(kernel, scope, options, builtin)
    if (options.server !== undefined || source.startsWith('mcp:')) {
      // Its protocol is a lot of code, and few hosts have such a source.
      const { loadMcpServer, toServer } = await import('./load-mcp.ts')
      return await loadMcpServer(kernel, scope, toServer(source, options, kernel), parts)
    }
    const { wrap, graceMs } = options[INSPECTION] ?? {}
    const found = resolveSource(source, kernel.spec.workspace)
    const profile = withLimits(
      chooseProfile(parts.profiles, options.profile, {
        fallback: kernel.spec.defaultProfile,
        isCommand: isCommandSource(found),
      }),
      { memoryMb: options.memoryMb ?? kernel.spec.memoryMb, graceMs },
    )
    checkSecrets(profile, kernel.spec.secrets)
    const loaded = await loadSource({
      source: found,
      config: options.config,
      profile,
      bundler: parts.bundler,
      engine: parts.engineOf(profile),
      gate,
      ...(wrap === undefined ? {} : { wrap }),
    })
    const registrations = await orDispose(loaded, () =>
      toRegistrations(chooseTools(loaded.tools, options), (manifest) => ({
        operator: toOperator(profile, options, {
          packageRoot: found.root,
          source: options.name ?? source,
          tool: manifest.name,
        }),
        source: options.name ?? source,
        format: loaded.format,
        body: loaded.body(manifest.name),
      })),
    )
    const dispose = await orDispose(loaded, () => addAll(kernel, scope, registrations))
    const remove = async (): Promise<void> => {
      dispose()
      await loaded.dispose()
    }
    return {
      tools: registrations.map(({ name }) => name),
      format: loaded.format,
      ...(loaded.state === undefined ? {} : { state: loaded.state }),
      ...(loaded.unconfined === undefined ? {} : { unconfined: loaded.unconfined }),
      [INSPECTION]: { manifests: loaded.tools, registrations },
      dispose: remove,
      [Symbol.asyncDispose]: remove,
    }
  }
}

/** Main thread time that the schemas of one source may cost. */
const SCHEMA_BUDGET_MS = 2_000

/** The profile asked for, else the host's default, else one that runs commands. */
function chooseProfile(
  profiles: Profiles,
  asked: string | undefined,
  { fallback, isCommand }: { readonly fallback: string; readonly isCommand: boolean },
): SandboxProfile {
  const chosen = profiles.resolve(asked ?? fallback)
  if (asked !== undefined || !isCommand || chosen.engine === 'process') return chosen
  return profiles.resolve(COMMAND_PROFILE)
}

function withLimits(
  profile: SandboxProfile,
  given: { readonly memoryMb: number | undefined; readonly graceMs: number | undefined },
): SandboxProfile {
  const { memoryMb = profile.limits.memoryMb, graceMs = profile.limits.graceMs } = given
  return { ...profile, limits: { ...profile.limits, memoryMb, graceMs } }
}

type Rest = Pick<Registration, 'operator' | 'source' | 'format' | 'body'>

/** All tools of a source, or one `LOAD_FAILED` that lists what is wrong with each of them. */
async function toRegistrations(
  manifests: readonly ToolManifest[],
  rest: (manifest: ToolManifest) => Rest,
): Promise<Registration[]> {
  const violations: string[] = []
  const causes = new Set<string>()
  const registrations: Registration[] = []
  let spent = 0
  for (const manifest of manifests) {
    const begun = process.threadCpuUsage()
    try {
      const parsed = parseDefinition(fieldsOfManifest(manifest), { checkArguments: true })
      registrations.push({ ...parsed, ...rest(manifest) })
    } catch (error) {
      if (!isCaissonError(error)) throw error
      causes.add(error.code)
      violations.push(...toViolations(error).map((text) => `tool '${manifest.name}': ${text}`))
    }
    spent += process.threadCpuUsage(begun).user / 1_000
    // Compiling is the author's choice and the host's time: bounded, and not all at once.
    if (spent > SCHEMA_BUDGET_MS) throw tooMuchToCompile()
    await setImmediate()
  }
  if (violations.length === 0) return registrations
  const [cause = 'CONFIG_INVALID'] = causes
  throw new CaissonError('LOAD_FAILED', violations.join('; '), { violations, cause })
}

function tooMuchToCompile(): CaissonError {
  const text = `its tools have schemas that take more than ${SCHEMA_BUDGET_MS} ms to compile`
  return new CaissonError('LOAD_FAILED', text, { violations: [text] })
}

async function orDispose<T>(
  loaded: { dispose(): Promise<void> },
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await loaded.dispose()
    throw error
  }
}

function addAll(kernel: Kernel, scope: Scope, registrations: readonly Registration[]): () => void {
  const disposers: (() => void)[] = []
  const dispose = (): void => {
    for (const remove of disposers.splice(0)) remove()
    kernel.emit(scope, 'tools/change')
  }
  try {
    for (const registration of registrations) disposers.push(scope.layer.add(registration))
  } catch (error) {
    for (const remove of disposers) remove()
    if (!isCaissonError(error)) throw error
    throw new CaissonError('LOAD_FAILED', error.message, { ...error.facts, cause: error.code })
  }
  kernel.emit(scope, 'tools/change')
  return dispose
}
