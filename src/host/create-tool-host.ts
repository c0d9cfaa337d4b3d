import { randomUUID } from 'node:crypto'
import { createIsolateEngine, type IsolateEngineSpec } from '../engine/isolate/engine.ts'
import { loadFrozenRealm, loadRunnerAssets } from '../engine/isolate/assets.ts'
import { loadAsset } from '../engine/shared/load-asset.ts'
import { createProcessEngine } from '../engine/process/engine.ts'
import { createThreadEngine } from '../engine/thread/engine.ts'
import { createBundler } from '../loader/bundler-client.ts'
import type { SourceEngine } from '../loader/load-source.ts'
import { loadProfiles, type Profiles } from '../sandbox/load-profiles.ts'
import type { ListenOptions, Subscribe } from '../types/listeners.ts'
import type { EngineCounts } from '../types/engine.ts'
import type { SandboxProfile } from '../types/profile.ts'
import { createHostApproval, type HostApproval } from './approval.ts'
import type { ApprovalApi } from './approval-api.ts'
import { createCodeTool } from './code-mode.ts'
import { checkEventName } from './event-names.ts'
import { createHooksApi, type HooksApi } from './hooks.ts'
import { createKernel, type Kernel } from './kernel.ts'
import { createLoader } from './load.ts'
import type { ToolMetrics } from './metrics.ts'
import { version } from './version.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import { resolveHostSpec, type HostOptions, type HostSpec } from './spec.ts'
import { createToolsApi, type ToolsApi } from './tools-api.ts'
import { CaissonError } from '../errors/caisson-error.ts'

/** A tool execution host. */
export interface ToolHost extends AsyncDisposable {
  readonly tools: ToolsApi
  readonly profiles: Profiles
  readonly hooks: HooksApi
  /** Who decides about calls, and what was decided. */
  readonly approval: ApprovalApi
  /** Adds a listener for a waterfall or an event; throws `CONFIG_INVALID` for an unknown name. */
  readonly on: Subscribe
  openSession(options?: SessionOptions): Session
  /** Counts per tool so far. */
  metrics(): Readonly<Record<string, ToolMetrics>>
  /** What became of the processes and threads of each engine so far. */
  engineCounts(): Readonly<Record<SandboxProfile['engine'], EngineCounts>>
  /** Resolves when no call is under way. */
  idle(): Promise<void>
  /** Process ids of the sandbox's children, for monitoring. */
  childPids(): number[]
  /** Ends everything: no child process, thread, timer or file handle of the host is left when it resolves. */
  close(): Promise<void>
}

const LOAD_TIMEOUT_MS = 5_000
const BUNDLE_TIMEOUT_MS = 10_000
const BUNDLER_IDLE_MS = 5_000
const SPARES = 1
const DEFAULT_MEMORY_MB = 64

/** Creates a host. Throws `CONFIG_INVALID` for options that make no sense, or that nobody can keep here. */
export function createToolHost(options: HostOptions = {}): ToolHost {
  return createHostOf(resolveHostSpec(options))
}

/** The same from options that are resolved. */
export function createHostOf(spec: HostSpec): ToolHost {
  const profiles = loadProfiles(spec.profileFolders, spec.profileObjects)
  const kernel = createKernel(spec)
  const bundler = createBundler({ timeoutMs: BUNDLE_TIMEOUT_MS, idleMs: BUNDLER_IDLE_MS })
  const isolateSpec: IsolateEngineSpec = {
    assets: () => loadRunnerAssets(bundler.bundleAsset),
    frozenRealm: () => loadFrozenRealm(bundler.bundleAsset),
    maxRunners: spec.maxRunners,
    callsPerRunner: spec.callsPerRunner,
    spares: SPARES,
    loadTimeoutMs: LOAD_TIMEOUT_MS,
    defaultMemoryMb: spec.memoryMb ?? DEFAULT_MEMORY_MB,
    hostPath: process.env['PATH'] ?? '',
    diagnose: kernel.diagnose,
  }
  const isolate = createIsolateEngine(isolateSpec)
  // What programs call waits for slots, so a program must not hold one of the same.
  const code = createIsolateEngine(isolateSpec)
  const thread = createThreadEngine({
    code: () => loadAsset('thread/stage', bundler.bundleAsset),
    maxThreads: spec.maxRunners,
    loadTimeoutMs: LOAD_TIMEOUT_MS,
    diagnose: kernel.diagnose,
  })
  const programs = createProcessEngine({
    shim: () => loadAsset('process/shim', bundler.bundleAsset),
    workspace: spec.workspace,
    hostPath: process.env['PATH'] ?? '',
    maxPrograms: spec.maxRunners,
    loadTimeoutMs: LOAD_TIMEOUT_MS,
    diagnose: kernel.diagnose,
  })
  for (const profile of profiles.list) programs.checkProfile(profile)
  const approval = createHostApproval(kernel)
  const engines = { isolate, thread, process: programs }
  const engineOf = ({ engine }: SandboxProfile): SourceEngine => engines[engine]
  const check = (): void => {
    if (kernel.closed) throw new CaissonError('HOST_CLOSED', 'the host is closed')
  }
  const { restrict: _none, ...tools } = createToolsApi(kernel, kernel.root, undefined, check)
  kernel.attachLoader(
    createLoader(kernel, { bundler, engineOf, profiles, programs, isolate, version: version() }),
  )
  kernel.root.code.tool = createCodeTool(kernel, { bundler, engine: code })
  const hooks = createHooksApi(kernel, check)
  const sessions = new Set<Session>()
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    kernel.shut()
    approval.shut()
    await Promise.all([kernel.interruptAll('HOST_CLOSED', 'the host was closed'), hooks.close()])
    await Promise.all([...sessions].map((session) => session.close()))
    await Promise.all([isolate, code, thread, programs, bundler].map((part) => part.close()))
    await approval.close()
  }
  const host: ToolHost = {
    tools,
    profiles,
    hooks: hooks.api,
    approval: approval.api,
    on(event: string, fn: unknown, listenerOptions?: ListenOptions) {
      check()
      checkEventName(event)
      return kernel.root.hub.on(event, fn, listenerOptions)
    },
    openSession(sessionOptions) {
      const session = openGoverned(kernel, approval, sessionOptions)
      sessions.add(session)
      return session
    },
    metrics: () => kernel.metrics.snapshot(),
    engineCounts: () => ({
      isolate: isolate.counts(),
      thread: thread.counts(),
      process: programs.counts(),
    }),
    idle: () => kernel.idle(),
    childPids: () => [...isolate.pids(), ...code.pids(), ...programs.pids()],
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => host.close(),
  }
  return host
}

function openGoverned(
  kernel: Kernel,
  approval: HostApproval,
  options: SessionOptions | undefined,
): Session {
  const id = randomUUID()
  approval.openSession(id, options?.policy)
  const session = openSession(kernel, id, options)
  const close = async (): Promise<void> => {
    await session.close()
    approval.closeSession(id)
  }
  return { ...session, close, [Symbol.asyncDispose]: close }
}
