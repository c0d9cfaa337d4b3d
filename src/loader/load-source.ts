import type { BundleTarget } from '../../workers/bundler/tool.ts'
import { isCaissonError, type CaissonError } from '../errors/caisson-error.ts'
import type { CommandSource } from '../types/command.ts'
import type { ToolBody, ToolManifest } from '../types/engine.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { BundledSource, KeptState, LoadedSource, SourceFormat } from '../types/source.ts'
import type { Bundler } from './bundler-client.ts'
import { loadFailed } from './load-failed.ts'
import type { LoadGate } from './load-gate.ts'
import { parseManifests } from './parse-manifest.ts'
import { isCommandSource, readCommand } from './read-command.ts'
import type { ResolvedSource } from './resolve-source.ts'

/** The engine that describes a source and runs its tools. */
export interface SourceEngine {
  load(source: BundledSource, profile: SandboxProfile): Promise<LoadedSource>
  /** The body of a command; absent where no programs are run. */
  readonly command?: (source: CommandSource, profile: SandboxProfile) => ToolBody
}

export interface LoadSpec {
  readonly source: ResolvedSource
  /** Plugin configuration of the operator; JSON. */
  readonly config?: unknown
  readonly profile: SandboxProfile
  readonly bundler: Bundler
  readonly engine: SourceEngine
  /** Keeps a source that fails from being tried again and again. */
  readonly gate?: LoadGate
  /** Rewrites the bundle before anything of it runs. */
  readonly wrap?: (code: string) => string
}

/** The tools of one source, described in its engine and checked on the host. */
export interface SourceTools {
  readonly format: SourceFormat
  readonly tools: readonly ToolManifest[]
  /** Node modules and virtual packages the code imports. */
  readonly imports: readonly string[]
  readonly state?: KeptState
  readonly unconfined?: string
  body(name: string): ToolBody
  dispose(): Promise<void>
}

/**
 * Bundles a source, runs its registration in the engine and checks what it says of itself. Nothing
 * of the source is evaluated on the host. Throws `LOAD_FAILED` with facts `source` and `violations`,
 * and `cause` where a definition has broken a rule that has a code of its own.
 */
export async function loadSource(spec: LoadSpec): Promise<SourceTools> {
  const { source, profile, bundler, engine, gate, wrap = unchanged } = spec
  try {
    if (isCommandSource(source)) return await loadCommand(spec)
    const target = targetOf(profile)
    const { root, entry } = source
    const { code, imports } = await bundler.bundleTool({ root, entry, target })
    const bundled: BundledSource = {
      ...source,
      code: wrap(code),
      ...(spec.config === undefined ? {} : { config: spec.config }),
    }
    const load = (): Promise<LoadedSource> => engine.load(bundled, profile)
    const loaded = await (gate === undefined ? load() : gate.pass(bundled, profile, load))
    return await toSourceTools(source.source, loaded, imports)
  } catch (error) {
    throw isCaissonError(error) && error.code === 'LOAD_FAILED'
      ? withSource(error, source.source)
      : error
  }
}

async function loadCommand({ source, profile, engine }: LoadSpec): Promise<SourceTools> {
  if (engine.command === undefined) {
    const text = `a command runs in the process engine, and profile '${profile.name}' is of another; name one like shell`
    throw loadFailed(source.source, [text])
  }
  const command = await readCommand(source)
  const body = engine.command(command, profile)
  const { name, description, parameters, outputSchema, timeoutMs, idempotent, retry } =
    command.manifest
  const manifest: ToolManifest = {
    name,
    description,
    parameters,
    outputSchema,
    defined: false,
    projections: ['render'],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(retry === undefined ? {} : { retry }),
  }
  return {
    format: 'command',
    tools: [manifest],
    imports: [],
    body: () => body,
    dispose: () => Promise.resolve(),
  }
}

// A program that nothing confines has its files where they are.
function targetOf({ engine, confinement }: SandboxProfile): BundleTarget {
  if (engine === 'process') return confinement === 'none' ? 'thread' : 'process'
  return engine
}

function unchanged(code: string): string {
  return code
}

/** Checks what an engine's describe step said. Throws `LOAD_FAILED`; then nothing stays loaded. */
export async function toSourceTools(
  source: string,
  loaded: LoadedSource,
  imports: readonly string[],
): Promise<SourceTools> {
  const parsed = parseManifests(loaded.format, loaded.manifests)
  if (parsed.kind === 'refused') {
    await loaded.dispose()
    throw loadFailed(source, parsed.violations, parsed.cause)
  }
  return {
    format: parsed.format,
    tools: parsed.tools,
    imports,
    ...(loaded.state === undefined ? {} : { state: loaded.state }),
    ...(loaded.unconfined === undefined ? {} : { unconfined: loaded.unconfined }),
    body: (name) => loaded.body(name),
    dispose: () => loaded.dispose(),
  }
}

function withSource(error: CaissonError, source: string): CaissonError {
  if (error.facts['source'] !== undefined) return error
  const { violations, cause } = error.facts
  const texts = Array.isArray(violations) ? violations.map(String) : [error.message]
  return loadFailed(source, texts, cause)
}
