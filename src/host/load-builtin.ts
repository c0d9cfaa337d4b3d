import { isAbsolute, resolve } from 'node:path'
import { parseToolPath } from '../broker/fs/parse-path.ts'
import type { SandboxMode } from '../builtin/bash.ts'
import { judgeMode } from '../builtin/mode-guard.ts'
import { parseBuiltinOptions, type BuiltinOptions } from '../builtin/options.ts'
import { BUILTIN_SOURCE, createPack } from '../builtin/pack.ts'
import { toolError } from '../builtin/refuse.ts'
import type { BuiltinServices } from '../builtin/services.ts'
import type { IsolateEngine } from '../engine/isolate/engine.ts'
import type { ProcessEngine } from '../engine/process/engine.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import type { SourceTools } from '../loader/load-source.ts'
import { pathInside } from '../loader/package-path.ts'
import type { Call } from '../pipeline/call.ts'
import type { OperatorSettings, Registration } from '../registry/registration.ts'
import type { Scope } from '../registry/scope.ts'
import { parseProfile, type Profiles } from '../sandbox/load-profiles.ts'
import type { RunExecution } from '../types/call.ts'
import type { SandboxProfile } from '../types/profile.ts'
import { INSPECTION } from './inspection.ts'
import type { Kernel } from './kernel.ts'
import type { LoadedTools, LoadOptions } from './load.ts'

export interface BuiltinParts {
  readonly profiles: Profiles
  readonly programs: Pick<ProcessEngine, 'shell'>
  toOperator(profile: SandboxProfile, options: LoadOptions): OperatorSettings
  addAll(kernel: Kernel, scope: Scope, registrations: readonly Registration[]): () => void
  readonly isolate: Pick<IsolateEngine, 'lane'>
  /** Loads the tool of the pack that runs in an isolate, under a profile of its own. */
  loadFetch(profile: SandboxProfile): Promise<SourceTools>
}

/** The profile of the pack's tools, unless another is asked for. */
const DEFAULT_PROFILE = 'workspace-write'

/** Registers the first-party pack in a scope. Throws `CONFIG_INVALID` for options it does not know. */
export async function loadBuiltin(
  kernel: Kernel,
  scope: Scope,
  options: LoadOptions,
  parts: BuiltinParts,
): Promise<LoadedTools> {
  const settings = parseBuiltinOptions(options.config)
  const profile = parts.profiles.resolve(options.profile ?? DEFAULT_PROFILE)
  const operator = parts.toOperator(profile, options)
  const fetchProfile = toFetchProfile(profile, settings)
  const fetching = onDemand(() => parts.loadFetch(fetchProfile))
  const registrations = createPack({
    options: settings,
    backends: options.backends ?? {},
    services: createServices(kernel),
    operator,
    shell: (mode) =>
      parts.programs.shell(toShellProfile(mode, settings), settings.bash.outputBytes),
    fetch: {
      lane: parts.isolate.lane,
      operator: parts.toOperator(fetchProfile, options),
      body: async () => (await fetching.get()).body('web_fetch'),
    },
    diagnose: kernel.diagnose,
  })
  const remove = parts.addAll(kernel, scope, registrations)
  const bash = registrations.find(({ name }) => name === 'bash')
  const release = scope.hub.on('tools/pre-execute', sandboxMode(kernel, bash, settings))
  const dispose = async (): Promise<void> => {
    release()
    remove()
    await fetching.dispose()
  }
  return {
    tools: registrations.map(({ name }) => name),
    format: BUILTIN_SOURCE,
    state: { name: 'fresh' },
    [INSPECTION]: { manifests: [], registrations },
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

/** Loads once, when it is first needed; a load that fails is tried again. */
function onDemand(load: () => Promise<SourceTools>): {
  get(): Promise<SourceTools>
  dispose(): Promise<void>
} {
  let loading: Promise<SourceTools> | undefined
  return {
    get() {
      loading ??= load()
      loading.catch(() => (loading = undefined))
      return loading
    },
    async dispose() {
      await loading?.then(
        (loaded) => loaded.dispose(),
        () => undefined,
      )
    },
  }
}

function sandboxMode(
  kernel: Kernel,
  bash: Registration | undefined,
  settings: BuiltinOptions,
): (exec: RunExecution, next: () => Promise<unknown>) => unknown {
  return function builtinSandboxMode(exec, next) {
    if (kernel.callOf(exec.token)?.registration !== bash) return next()
    const decision = judgeMode(exec, settings)
    return decision ?? next()
  }
}

function createServices(kernel: Kernel): BuiltinServices {
  const { workspace } = kernel.spec
  const callOf = ({ token }: RunExecution): Call => {
    const call = kernel.callOf(token)
    if (call === undefined) throw new CaissonError('PROTOCOL_ERROR', 'the call has settled')
    return call
  }
  const toToolPath = (path: string): string => {
    if (!isAbsolute(path)) return path
    const root = resolve(workspace)
    if (path === root) return 'workspace:/'
    return pathInside(root, path) ?? path
  }
  return {
    toToolPath,
    toFolder(path) {
      if (path === '' || path === '.') return ''
      const { root, segments } = parseToolPath(
        toToolPath(path).replace(/\/+$/, ''),
        process.platform,
      )
      if (root === 'workspace') return segments.join('/')
      throw toolError('cwd must be a folder of the workspace')
    },
    files(exec) {
      const call = callOf(exec)
      const { registration } = call
      if (registration === undefined) throw new CaissonError('PROTOCOL_ERROR', 'no such tool')
      const { signal } = exec
      const attempt = { call, registration, signal, standIns: new Map<string, string>() }
      return kernel.capabilities.files.of(kernel.capabilities.contextOf(attempt))
    },
    writeTodos(exec, todos) {
      const agent = exec.agent === undefined ? undefined : kernel.findAgent(exec.agent)
      if (agent === undefined)
        throw toolError('a list of tasks belongs to an agent; this call has none')
      kernel.journal.append(agent, 'todo/write', { todos })
    },
  }
}

function toShellProfile(mode: SandboxMode, { bash }: BuiltinOptions): SandboxProfile {
  const isOpen = mode === 'full-access'
  const write = mode === 'workspace-write' ? ['workspace:/**'] : []
  return parseProfile(
    {
      name: 'builtin-bash',
      engine: 'process',
      confinement: isOpen ? 'none' : 'required',
      limits: { timeoutMs: 600_000, memoryMb: Math.min(bash.memoryMb, 4_096) },
      ...(isOpen ? {} : { fs: { read: ['workspace:/**'], write } }),
      process: { pids: bash.pids, tmpfsMb: bash.tmpfsMb },
    },
    'builtin-bash',
  )
}

function toFetchProfile(profile: SandboxProfile, { fetch }: BuiltinOptions): SandboxProfile {
  const granted = profile.fetch ?? { allow: [], methods: ['GET'], maxBytes: undefined }
  const maxBytes = fetch?.maxBytes ?? granted.maxBytes
  return parseProfile(
    {
      name: 'builtin-web-fetch',
      engine: 'isolate',
      limits: { timeoutMs: profile.limits.timeoutMs, memoryMb: 128 },
      fetch: {
        allow: fetch?.allow ?? granted.allow,
        methods: ['GET', 'HEAD'],
        ...(maxBytes === undefined ? {} : { maxBytes }),
      },
    },
    'builtin-web-fetch',
  )
}
