import type { EngineCounts } from '../types/engine.ts'
import { toCurve, type CurvePoint } from './curve.ts'
import { percentileMs, toLatencyReport, type LatencyReport } from './latency.ts'
import type { CallCounts, FailureCount, Recorder } from './recorder.ts'
import type { HostReport } from './sampler.ts'
import type { SeriesPoint } from './series.ts'
import type { LoadSpec } from './spec.ts'
import { evaluateThreshold, type Threshold, type ThresholdReport } from './thresholds.ts'
import { toWarnings } from './warnings.ts'

/** Where a load ran, for whoever reads the figures later. */
export interface Environment {
  readonly caisson: string
  readonly node: string
  readonly platform: string
  readonly cores: number
  readonly cpu: string
  readonly engine: string
  readonly profile: string
  /** What the tool is confined by, in words. */
  readonly sandbox: string
  /** What one call may find of another: `fresh` for nothing. */
  readonly state: string
}

export interface ToolReport {
  readonly tool: string
  readonly weight: number
  readonly ok: number
  readonly failed: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** What a load showed: JSON, documented in docs/bench.md. Times in milliseconds. */
export interface LoadReport {
  readonly format: 'caisson-bench/1'
  readonly startedAt: string
  readonly source: string
  readonly interrupted: boolean
  readonly load: Omit<LoadSpec, 'calls'>
  readonly elapsedMs: number
  readonly calls: CallCounts
  readonly rate: {
    /** Arrivals a second that the schedule asked for; absent for a closed load. */
    readonly asked?: number
    /** Successes a second. */
    readonly achieved: number
  }
  readonly latency: Readonly<
    Record<'response' | 'service' | 'queue' | 'failed' | 'lag', LatencyReport>
  >
  readonly tools: readonly ToolReport[]
  /** By code. */
  readonly failures: Readonly<Record<string, FailureCount>>
  readonly engine: EngineCounts
  readonly host: HostReport
  readonly environment: Environment
  readonly thresholds: readonly ThresholdReport[]
  readonly warnings: readonly string[]
  readonly curve: readonly CurvePoint[]
  readonly series: readonly SeriesPoint[]
}

/** Everything a finished load leaves behind. */
export interface Finished {
  readonly spec: LoadSpec
  readonly source: string
  readonly startedAt: Date
  readonly interrupted: boolean
  readonly elapsedMs: number
  /** What the schedule of an open load covered. */
  readonly spanMs: number | undefined
  readonly recorder: Recorder
  readonly engine: EngineCounts
  readonly host: HostReport
  readonly environment: Environment
  readonly thresholds: readonly Threshold[]
  readonly series: readonly SeriesPoint[]
}

/** Sums a finished load up. */
export function toReport(finished: Finished): LoadReport {
  const { spec, recorder, elapsedMs, spanMs, engine, host } = finished
  const { latencies, counts } = recorder
  const achieved = perSecond(counts.ok, elapsedMs)
  const measured = { counts, latencies, rate: achieved, kills: engine.kills }
  const { calls: _calls, ...load } = spec
  const report = {
    format: 'caisson-bench/1' as const,
    startedAt: finished.startedAt.toISOString(),
    source: finished.source,
    interrupted: finished.interrupted,
    load,
    elapsedMs: Math.round(elapsedMs),
    calls: { ...counts },
    rate: {
      ...(spanMs === undefined || spanMs === 0 ? {} : { asked: perSecond(counts.offered, spanMs) }),
      achieved,
    },
    latency: {
      response: toLatencyReport(latencies.response),
      service: toLatencyReport(latencies.service),
      queue: toLatencyReport(latencies.queue),
      failed: toLatencyReport(latencies.failed),
      lag: toLatencyReport(latencies.lag),
    },
    tools: spec.calls.map(({ tool, weight }, index) =>
      toToolReport(recorder, { tool, weight, index }),
    ),
    failures: Object.fromEntries(recorder.failures),
    engine,
    host,
    environment: finished.environment,
    thresholds: finished.thresholds.map((threshold) => evaluateThreshold(threshold, measured)),
    curve: toCurve(latencies),
    series: finished.series,
  }
  return { ...report, warnings: toWarnings(report) }
}

function toToolReport(
  { byCall }: Recorder,
  { tool, weight, index }: { tool: string; weight: number; index: number },
): ToolReport {
  const row = byCall[index]
  const at = (percentile: number): number =>
    row === undefined ? 0 : percentileMs(row.ok, percentile)
  return {
    tool,
    weight,
    ok: row?.ok.totalCount ?? 0,
    failed: row?.failed ?? 0,
    p50: at(50),
    p95: at(95),
    p99: at(99),
    max: at(100),
  }
}

function perSecond(count: number, ms: number): number {
  return ms <= 0 ? 0 : Math.round((count * 100_000) / ms) / 100
}
