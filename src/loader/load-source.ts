import type { BundleTarget } from '../../workers/bundler/tool.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import type { CommandSource } from '../types/command.ts'
import type { ToolBody, ToolManifest } from '../types/engine.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { BundledSource, KeptState, LoadedSource, SourceFormat } from '../types/source.ts'
import type { Bundler } from './bundler-client.ts'
import { holdFiles, type Holding } from './hold-files.ts'
import { loadFailed } from './load-failed.ts'
import type { LoadGate } from './load-gate.ts'
import { parseManifests } from './parse-manifest.ts'
import { filesOf, isCommandSource, readCommand, toToolManifest } from './read-command.ts'
import type { ResolvedSource } from './resolve-source.ts'
import {
  toCommandParts,
  toDigest,
  toModuleParts,
  toToolParts,
  type SourceParts,
} from './source-parts.ts'

/** The engine that describes a source and runs its tools. */
export interface SourceEngine {
  load(source: BundledSource, profile: SandboxProfile): Promise<LoadedSource>
  /** The body of a command; absent where no programs are run. */
  readonly command?: (source: CommandSource, profile: SandboxProfile) => ToolBody
}

/** What a source has to be for its tools to be registered. Each throws `LOAD_FAILED` for another. */
export interface SourcePin {
  /** Asked before anything of the source has run. `unheld` says what of it may change unseen. */
  code(parts: SourceParts, unheld: readonly string[]): void
  tools(parts: SourceParts): void
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
  /** Without one every source will do. */
  readonly pin?: SourcePin
}

/** The tools of one source, described in its engine and checked on the host. */
export interface SourceTools {
  readonly format: SourceFormat
  readonly tools: readonly ToolManifest[]
  /** Node modules and virtual packages the code imports. */
  readonly imports: readonly string[]
  readonly state?: KeptState
  readonly unconfined?: string
  /** What it was made of when it was loaded, which is what runs; absent for Caisson's own. */
  readonly identity?: SourceIdentity
  body(name: string): ToolBody
  dispose(): Promise<void>
}

/** What a source is known again by. */
export interface SourceIdentity {
  readonly parts: SourceParts
  /** Absent where something of it can change without being loaded again; `unheld` says what. */
  readonly digest?: string
  readonly unheld: readonly string[]
}

/**
 * Bundles a source, runs its registration in the engine and checks what it says of itself. Nothing
 * of the source is evaluated on the host. Throws `LOAD_FAILED` with facts `source` and `violations`,
 * and `cause` where a definition has broken a rule that has a code of its own.
 */
export async function loadSource(spec: LoadSpec): Promise<SourceTools> {
  const { source } = spec
  try {
    return isCommandSource(source) ? await loadCommand(spec) : await loadModule(spec)
  } catch (error) {
    throw isCaissonError(error) && error.code === 'LOAD_FAILED'
      ? withSource(error, source.source)
      : error
  }
}

async function loadModule(spec: LoadSpec): Promise<SourceTools> {
  const { source, profile, bundler, engine, gate, wrap = unchanged } = spec
  const { root, entry } = source
  const target = targetOf(profile)
  const { code, imports, natives } = await bundler.bundleTool({ root, entry, target })
  const held = await holdOwn(root, natives)
  const parts = toModuleParts(code, held.files)
  spec.pin?.code(parts, held.unheld)
  const bundled: BundledSource = {
    ...source,
    code: wrap(code),
    ...(held.files.length === 0 ? {} : { files: held.files }),
    ...(spec.config === undefined ? {} : { config: spec.config }),
  }
  const load = (): Promise<LoadedSource> => engine.load(bundled, profile)
  const loaded = await (gate === undefined ? load() : gate.pass(bundled, profile, load))
  const tools = await toSourceTools(source.source, loaded, imports)
  return await identify(tools, spec, { parts, unheld: held.unheld })
}

async function loadCommand(spec: LoadSpec): Promise<SourceTools> {
  const { source, profile, engine } = spec
  if (engine.command === undefined) {
    const text = `a command runs in the process engine, and profile '${profile.name}' is of another; name one like shell`
    throw loadFailed(source.source, [text])
  }
  const manifest = await readCommand(source)
  const own = filesOf(manifest)
  const found = await holdOwn(source.root, own)
  // Where nothing confines a program it has its files from where they are.
  const held =
    profile.confinement === 'none'
      ? { files: [], unheld: own.map((path) => `package:/${path} is not in a sandbox`) }
      : found
  const parts = toCommandParts(manifest, held.files)
  spec.pin?.code(parts, held.unheld)
  const command: CommandSource = {
    source: source.source,
    root: source.root,
    manifest,
    files: held.files,
  }
  const body = engine.command(command, profile)
  const tools: SourceTools = {
    format: 'command',
    tools: [toToolManifest(manifest)],
    imports: [],
    body: () => body,
    dispose: () => Promise.resolve(),
  }
  return await identify(tools, spec, { parts, unheld: held.unheld })
}

/** Says what was loaded, once it is known to be what it has to be; else nothing stays loaded. */
async function identify(
  loaded: SourceTools,
  { pin }: LoadSpec,
  code: { readonly parts: SourceParts; readonly unheld: readonly string[] },
): Promise<SourceTools> {
  const tools = toToolParts(loaded.tools)
  try {
    pin?.tools(tools)
  } catch (error) {
    await loaded.dispose()
    throw error
  }
  const { parts, unheld } = code
  const digest = unheld.length > 0 ? {} : { digest: toDigest(parts, tools) }
  return { ...loaded, identity: { parts: { ...parts, ...tools }, unheld, ...digest } }
}

async function holdOwn(root: string, paths: readonly string[]): Promise<Holding> {
  const held = await holdFiles(root, paths)
  const [outside] = held.outside
  if (outside === undefined) return held
  const text = `${outside} leads out of the tool's folder`
  throw new CaissonError('LOAD_FAILED', text, { violations: [text] })
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
