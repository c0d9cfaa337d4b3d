import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { loadFrozenRealm, loadRunnerAssets } from '../../src/engine/isolate/assets.ts'
import { createIsolateEngine } from '../../src/engine/isolate/engine.ts'
import { createBundler, type Bundler } from '../../src/loader/bundler-client.ts'
import { createLoadGate } from '../../src/loader/load-gate.ts'
import { loadSource, type SourceTools } from '../../src/loader/load-source.ts'
import { resolveSource } from '../../src/loader/resolve-source.ts'
import type { BodyOutcome } from '../../src/types/engine.ts'
import type { JsonValue } from '../../src/types/json.ts'
import type { SandboxProfile } from '../../src/types/profile.ts'

export const TOOLS: string = fileURLToPath(new URL('../fixtures/tools/', import.meta.url))

/** A loader with a real bundler and a real isolate engine behind it. */
export interface OpenLoader extends AsyncDisposable {
  readonly bundler: Bundler
  /** Process ids of the runners alive right now. */
  pids(): number[]
  load(source: string, config?: unknown): Promise<SourceTools>
  call(tools: SourceTools, name: string, args?: JsonValue): Promise<BodyOutcome>
}

const PROFILE: SandboxProfile = {
  name: 'pure',
  description: 'Nothing but compute.',
  engine: 'isolate',
  limits: {
    timeoutMs: 10_000,
    graceMs: 50,
    memoryMb: 64,
    outputBytes: 1_048_576,
    logBytes: 65_536,
    capabilityCalls: 1_000,
  },
  env: {},
  secrets: {},
  retry: { retries: 0 },
}

/** Opens a loader whose relative sources start at `cwd`. */
export function openLoader(cwd: string = TOOLS): OpenLoader {
  const bundler = createBundler({ timeoutMs: 10_000, idleMs: 30_000 })
  const engine = createIsolateEngine({
    assets: () => loadRunnerAssets(bundler.bundleAsset),
    frozenRealm: () => loadFrozenRealm(bundler.bundleAsset),
    maxRunners: 2,
    spares: 1,
    callsPerRunner: 5_000,
    loadTimeoutMs: 5_000,
    defaultMemoryMb: 64,
    hostPath: process.env['PATH'] ?? '',
    diagnose: () => undefined,
  })
  const gate = createLoadGate()
  return {
    bundler,
    pids: () => engine.pids(),
    load: async (source, config) =>
      loadSource({
        source: resolveSource(source, cwd),
        profile: PROFILE,
        bundler,
        engine,
        gate,
        ...(config === undefined ? {} : { config }),
      }),
    call(tools, name, args = {}) {
      const { signal } = new AbortController()
      return tools.body(name).run({
        exec: {
          callId: randomUUID(),
          rootCallId: 'root',
          name,
          arguments: args,
          token: Symbol(name),
          signal,
        },
        signal,
        visibleSignal: signal,
        graceMs: 50,
        wantsMeta: true,
        services: {
          bodyStarted: () => undefined,
          deferContext: () => undefined,
          concludeTurn: () => undefined,
          log: () => undefined,
          logDropped: () => undefined,
          progress: () => undefined,
          lendSecrets: () => undefined,
          request: () => Promise.reject(new Error('nothing is granted')),
          tunnel: () => Promise.reject(new Error('nothing is granted')),
        },
      })
    },
    async [Symbol.asyncDispose]() {
      await engine.close()
      await bundler.close()
    },
  }
}

/** What a call returned; fails the test when it did not return. */
export function returned(outcome: BodyOutcome): unknown {
  if (outcome.kind === 'returned') return outcome.value
  throw new Error(`the call ended otherwise: ${JSON.stringify(outcome)}`)
}
