import type { BundlerAnswer, BundlerRequest } from '../../workers/bundler.ts'
import type { SourceUse } from '../../workers/bundler/read-use.ts'
import type { ScanRequest } from '../../workers/bundler/scan.ts'
import type { ToolBundle, ToolBundleRequest } from '../../workers/bundler/tool.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { createBundlerChild, type BundlerChild } from './bundler-child.ts'

/** Turns sources into bundles in a child process; started on first use, stopped when idle. */
export interface Bundler {
  /** One tool source as self-contained text. Throws `LOAD_FAILED` with fact `violations`. */
  bundleTool(request: ToolBundleRequest): Promise<ToolBundle>
  /** What a tool source uses, read from its text. Throws `LOAD_FAILED` with fact `violations`. */
  scanTool(request: ScanRequest): Promise<SourceUse>
  /** The body of a program of Code Mode as plain JavaScript. Throws like `bundleTool`. */
  toProgram(text: string): Promise<string>
  /** One of Caisson's own entries as self-contained text. */
  bundleAsset(entry: string): Promise<string>
  close(): Promise<void>
}

export interface BundlerSpec {
  /** A request that takes longer fails with `LOAD_FAILED`; its child is killed. */
  readonly timeoutMs: number
  /** A child without work ends after this long. */
  readonly idleMs: number
}

/** How often a request may meet a child that dies of something else before it fails too. */
const MAX_STARTS = 3

/** What a request that did not fail is answered with. */
type Built = Exclude<BundlerAnswer, { readonly violations: unknown }>

interface Job {
  readonly request: BundlerRequest
  readonly settled: PromiseWithResolvers<Built>
  starts: number
  timer?: NodeJS.Timeout
}

/** Creates the client; spawns nothing yet. */
export function createBundler(spec: BundlerSpec): Bundler {
  const jobs = new Map<number, Job>()
  let child: BundlerChild | undefined
  let idle: NodeJS.Timeout | undefined
  let sequence = 0
  let closed = false

  const settle = (id: number): Job | undefined => {
    const job = jobs.get(id)
    if (job === undefined) return undefined
    clearTimeout(job.timer)
    jobs.delete(id)
    if (jobs.size === 0) rest()
    return job
  }
  const rest = (): void => {
    const resting = child
    resting?.unref()
    clearTimeout(idle)
    idle = setTimeout(() => void resting?.kill(), spec.idleMs).unref()
  }
  const start = (): BundlerChild => {
    const started = createBundlerChild({
      answered(id, answer) {
        const job = settle(id)
        if ('violations' in answer) job?.settled.reject(bundleFailed(answer.violations))
        else job?.settled.resolve(answer)
      },
      ended() {
        if (child !== started) return
        child = undefined
        // Whoever was not the cause of the end gets a fresh child.
        for (const id of jobs.keys()) send(id)
      },
    })
    return started
  }
  const send = (id: number): void => {
    const job = jobs.get(id)
    if (job === undefined) return
    clearTimeout(job.timer)
    job.starts += 1
    if (closed || job.starts > MAX_STARTS) {
      settle(id)?.settled.reject(closed ? hostClosed() : bundleFailed(['the bundler ended']))
      return
    }
    clearTimeout(idle)
    child ??= start()
    child.ref()
    child.send(id, job.request)
    job.timer = setTimeout(() => {
      const late = `bundling took longer than ${spec.timeoutMs} ms`
      settle(id)?.settled.reject(bundleFailed([late]))
      void child?.kill()
    }, spec.timeoutMs)
  }
  const ask = (request: BundlerRequest): Promise<Built> => {
    if (closed) return Promise.reject(hostClosed())
    const id = (sequence += 1)
    const settled = Promise.withResolvers<Built>()
    jobs.set(id, { request, settled, starts: 0 })
    send(id)
    return settled.promise
  }
  return {
    bundleTool: async (request) => toBundle(await ask({ kind: 'tool', ...request })),
    async scanTool(request) {
      const built = await ask({ kind: 'scan', ...request })
      if ('use' in built) return built.use
      throw bundleFailed(['the bundler answered something else'])
    },
    toProgram: async (text) => toBundle(await ask({ kind: 'program', text })).code,
    bundleAsset: async (entry) => toBundle(await ask({ kind: 'asset', entry })).code,
    async close() {
      closed = true
      clearTimeout(idle)
      await child?.kill()
    },
  }
}

function toBundle(built: Built): ToolBundle {
  if ('bundle' in built) return built.bundle
  throw bundleFailed(['the bundler answered something else'])
}

function hostClosed(): CaissonError {
  return new CaissonError('HOST_CLOSED', 'the host is closed')
}

function bundleFailed(violations: readonly string[]): CaissonError {
  const [first = 'unknown error'] = violations
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
  return new CaissonError('LOAD_FAILED', `${first}${more}`, { violations: [...violations] })
}
