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
import type { Registration } from '../registry/registration.ts'
import type { Scope } from '../registry/scope.ts'
import type { Profiles } from '../sandbox/load-profiles.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { KeptState } from '../types/source.ts'
import type { RetrySettings } from '../types/tool.ts'
import { INSPECTION, type InspectedSource, type InspectionRequest } from './inspection.ts'
import type { Kernel } from './kernel.ts'
import { loadBuiltin, type BuiltinParts } from './load-builtin.ts'
import type { McpParts } from './load-mcp.ts'
import { checkSecrets, chooseTools, toOperator } from './operator-settings.ts'
import { approve, checkPin, createPin } from './source-pins.ts'
import { toRegistrations } from './source-registrations.ts'

/** What an operator fixes for a source and every tool in it. */
export interface LoadOptions {
  /** Name of the sandbox profile. Default: the host's default profile. */
  readonly profile?: string
  /**
   * Refuses a source that is not this: a digest of it, or `approved` for what was approved last. Its
   * code is looked at before any of it runs. Default: what the configuration pins, or anything.
   */
  readonly pin?: string
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
  /** What it can be pinned to; absent where its files cannot be held as they are, and for servers. */
  readonly digest?: string
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
    const isServer = options.server !== undefined || source.startsWith('mcp:')
    checkPin(options.pin, !isServer && source !== BUILTIN_SOURCE)
    if (source === BUILTIN_SOURCE) return await loadBuiltin(kernel, scope, options, builtin)
    if (isServer) {
      // Its protocol is a lot of code, and few hosts have such a source.
      const { loadMcpServer, toServer } = await import('./load-mcp.ts')
      return await loadMcpServer(kernel, scope, toServer(source, options, kernel), parts)
    }
    const { wrap, graceMs, approve: isApproval } = options[INSPECTION] ?? {}
    const found = resolveSource(source, kernel.spec.workspace)
    const profile = withLimits(
      chooseProfile(parts.profiles, options.profile, {
        fallback: kernel.spec.defaultProfile,
        isCommand: isCommandSource(found),
      }),
      { memoryMb: options.memoryMb ?? kernel.spec.memoryMb, graceMs },
    )
    checkSecrets(profile, kernel.spec.secrets)
    const pinned = { found, profile, pin: options.pin, spec: kernel.spec }
    const pin = isApproval ? undefined : createPin(pinned)
    const loaded = await loadSource({
      source: found,
      config: options.config,
      profile,
      bundler: parts.bundler,
      engine: parts.engineOf(profile),
      gate,
      ...(wrap === undefined ? {} : { wrap }),
      ...(pin === undefined ? {} : { pin }),
    })
    const { identity } = loaded
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
    const approval =
      isApproval && identity !== undefined
        ? await orDispose(loaded, () => approve(pinned, identity))
        : undefined
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
      ...(identity?.digest === undefined ? {} : { digest: identity.digest }),
      [INSPECTION]: {
        manifests: loaded.tools,
        registrations,
        ...(approval === undefined ? {} : { approval }),
      },
      dispose: remove,
      [Symbol.asyncDispose]: remove,
    }
  }
}

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
