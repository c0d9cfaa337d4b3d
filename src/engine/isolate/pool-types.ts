import type { EngineCounts } from '../../types/engine.ts'
import type { RunnerLaunch } from './runner-launch.ts'
import type { RunnerProcess, StartedRunner } from './runner-process.ts'

/** A slot of a runner to work with; `opened` tells whether it already holds the bundle asked for. */
export interface TakenRunner {
  readonly runner: RunnerProcess
  readonly opened: boolean
}

/** Runner processes: warm spares, runners that hold a bundle, and nothing shared between bundles. */
export interface RunnerPool {
  /** A booted runner for `key`. Rejects with `ENGINE_UNAVAILABLE`. */
  take(key: string, launch: RunnerLaunch, signal?: AbortSignal): Promise<TakenRunner>
  /** Takes in a runner that has booted elsewhere, as a spare. */
  adopt(runner: StartedRunner, launch: RunnerLaunch): void
  /** The request of a runner has settled: it will be given back in a moment, unless it is discarded. */
  leaving(runner: RunnerProcess): void
  /** Gives a healthy runner back, still holding `key`. */
  giveBack(runner: RunnerProcess, key: string): void
  /** Kills a runner and resolves once it is dead; a spare takes its place. */
  discard(runner: RunnerProcess): Promise<void>
  /** Kills idle runners that hold `key`. */
  forget(key: string): void
  /** Boots the spares now instead of at the first call. */
  warm(): void
  pids(): number[]
  counts(): EngineCounts
  close(): Promise<void>
}

export interface PoolSpec {
  readonly maxRunners: number
  /** Of each launch in use. */
  readonly spares: number
  /** The launch that spares are kept of from the start. */
  readonly launch: RunnerLaunch
  /** Starts a runner. */
  start(launch: RunnerLaunch): StartedRunner
  /** A runner is retired after this many calls. */
  readonly callsPerRunner: number
  /** What booting a runner, or preparing a context in it, may take. */
  readonly readyTimeoutMs: number
}
