import type { ToolHost } from '../host/create-tool-host.ts'
import type { EngineCounts } from '../types/engine.ts'
import { createArrivals } from './arrivals.ts'
import type { LoadSink, LoadTarget } from './caller.ts'
import type { Drive } from './drive.ts'
import { driveClosed } from './drive-closed.ts'
import { driveOpen } from './drive-open.ts'
import type { Histogram } from './latency.ts'
import { createPicker, createRandom } from './random.ts'
import { createRecorder } from './recorder.ts'
import { toReport, type Environment, type LoadReport } from './report.ts'
import { createSampler } from './sampler.ts'
import { createSeries, type SeriesPoint } from './series.ts'
import { levelAt, type LoadSpec } from './spec.ts'
import type { Threshold } from './thresholds.ts'

/** Where a load is in its life. */
export interface LoadProgress {
  readonly phase: 'warm-up' | 'measuring'
  readonly elapsedMs: number
  readonly expectedMs: number | undefined
  readonly requests: number | undefined
  readonly ok: number
  readonly failed: number
  readonly dropped: number
  /** Absent while warming up. */
  readonly last?: SeriesPoint
}

/** A load to be run. The tools are loaded already. */
export interface LoadRun {
  readonly host: Pick<ToolHost, 'tools' | 'childPids' | 'engineCounts'>
  readonly spec: LoadSpec
  readonly source: string
  readonly environment: Environment
  readonly thresholds: readonly Threshold[]
  /** Ends the load early; what was measured is reported. */
  readonly signal: AbortSignal
  progress?(progress: LoadProgress): void
}

/** What a load showed, and the distribution of response times behind it. */
export interface LoadOutcome {
  readonly report: LoadReport
  readonly response: Histogram
}

/** How long calls that were aborted are waited for. */
const ABORTED_MS = 5_000

/** Warms up, runs the load and waits for its last call. Never rejects because of a tool. */
export async function runLoad(run: LoadRun): Promise<LoadOutcome> {
  const { host, spec, signal } = run
  await warmUp(run)
  const recorder = createRecorder(spec.calls.length)
  const before = sumCounts(host.engineCounts())
  const sampler = createSampler(() => host.childPids())
  const startedAt = new Date()
  const begun = performance.now()
  const drive = startDrive(createTarget(run, 'bench'), recorder, spec)
  const expectedMs = expectedOf(spec)
  const series = createSeries({
    expectedMs,
    take: () => ({ ...recorder.cut(), ...sampler.sample(), outstanding: drive.outstanding }),
    taken(last) {
      const { ok, failed, dropped } = recorder.counts
      const at = { elapsedMs: performance.now() - begun, expectedMs, requests: spec.requests }
      run.progress?.({ phase: 'measuring', ...at, ok, failed, dropped, last })
    },
  })
  await finished(drive, signal)
  const elapsedMs = performance.now() - begun
  for (let left = drive.outstanding; left > 0; left -= 1) recorder.unfinished()
  series.stop()
  const report = toReport({
    ...run,
    startedAt,
    interrupted: signal.aborted,
    elapsedMs,
    spanMs: drive.spanMs,
    recorder,
    engine: subtractCounts(sumCounts(host.engineCounts()), before),
    host: sampler.stop(),
    series: series.points,
  })
  return { report, response: recorder.latencies.response }
}

/** Makes calls that nobody measures, at the level with which the measurement begins. */
async function warmUp(run: LoadRun): Promise<void> {
  const { spec, signal } = run
  const { ms, requests } = spec.warmup
  if ((ms === undefined && requests === undefined) || signal.aborted) return
  const counts = { ok: 0, failed: 0, dropped: 0 }
  const begun = performance.now()
  const tell = (): void =>
    run.progress?.({
      phase: 'warm-up',
      elapsedMs: performance.now() - begun,
      expectedMs: ms,
      requests,
      ...counts,
    })
  const sink: LoadSink = {
    dropped: () => void (counts.dropped += 1),
    started: () => undefined,
    unfinished: () => undefined,
    settled: ({ result }) => void (result.isError ? (counts.failed += 1) : (counts.ok += 1)),
  }
  const level = spec.level > 0 ? spec.level : (spec.stages[0]?.target ?? 0)
  const flat = { ...spec, level, stages: [], durationMs: ms, requests, seed: ~spec.seed }
  const timer = setInterval(tell, TELL_MS)
  await finished(startDrive(createTarget({ ...run, spec: flat }, 'warm-up'), sink, flat), signal)
  clearInterval(timer)
}

const TELL_MS = 250

function createTarget({ host, spec }: LoadRun, prefix: string): LoadTarget {
  const weights = spec.calls.map(({ weight }) => weight)
  const pick = createPicker(weights, createRandom(Math.imul(spec.seed, 0x9e3779b1)))
  let made = 0
  return {
    pick,
    call(index, signal) {
      made += 1
      const { tool, args } = spec.calls[index] ?? { tool: '', args: null }
      return host.tools.execute({
        callId: `${prefix}-${made}`,
        name: tool,
        arguments: args,
        signal,
      })
    },
  }
}

function startDrive(target: LoadTarget, sink: LoadSink, spec: LoadSpec): Drive {
  if (spec.model === 'open') {
    const arrivals = createArrivals(spec, createRandom(spec.seed))
    const { durationMs, maxOutstanding } = spec
    return driveOpen(target, sink, { arrivals, durationMs, maxOutstanding })
  }
  return driveClosed(target, sink, { ...spec, level: (at) => levelAt(spec, at) })
}

/** Resolves when the drive is done, or soon after the signal. */
async function finished(drive: Drive, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const abort = (): void => {
    drive.abort()
    timer = setTimeout(late.resolve, ABORTED_MS)
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  await Promise.race([drive.done, late.promise])
  signal.removeEventListener('abort', abort)
  clearTimeout(timer)
}

function expectedOf({ model, level, stages, durationMs, requests }: LoadSpec): number | undefined {
  if (durationMs !== undefined) return durationMs
  if (model === 'closed' || requests === undefined || stages.length > 0) return undefined
  return (requests * 1_000) / level
}

function sumCounts(counts: ReturnType<ToolHost['engineCounts']>): EngineCounts {
  const sum = { started: 0, kills: 0, recycles: 0, lost: 0 }
  for (const { started, kills, recycles, lost } of Object.values(counts)) {
    sum.started += started
    sum.kills += kills
    sum.recycles += recycles
    sum.lost += lost
  }
  return sum
}

function subtractCounts(now: EngineCounts, before: EngineCounts): EngineCounts {
  return {
    started: now.started - before.started,
    kills: now.kills - before.kills,
    recycles: now.recycles - before.recycles,
    lost: now.lost - before.lost,
  }
}
