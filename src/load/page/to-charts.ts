import type { LoadReport } from '../report.ts'
import type { SeriesPoint } from '../series.ts'
import type { Chart, ChartSeries } from './chart.ts'

/** The charts of a report: latency over time, percentiles, throughput, outcomes, host, memory. */
export function toCharts(report: LoadReport): Chart[] {
  const { series } = report
  if (series.length === 0) return []
  const over = toTimeAxis(series)
  return [
    { ...over, ...latencyOverTime(series) },
    percentileCurve(report),
    { ...over, ...throughput(report) },
    { ...over, ...outcomes(report) },
    { ...over, ...hostDelay(series) },
    { ...over, ...memory(series) },
  ]
}

const FAILURE_COLORS = ['red', 'orange', 'violet', 'pink', 'brown']
/** From where the slowest hides everything else on a linear scale. */
const WIDE = 50

function toTimeAxis(series: readonly SeriesPoint[]): Pick<Chart, 'x' | 'xLabel' | 'xScale'> {
  return { x: series.map(({ at }) => at / 1_000), xLabel: 'time (s)', xScale: 'linear' }
}

type Drawn = Omit<Chart, 'x' | 'xLabel' | 'xScale'>

function latencyOverTime(series: readonly SeriesPoint[]): Drawn {
  const of = (key: 'p50' | 'p95' | 'p99' | 'max'): (number | null)[] =>
    series.map((point) => (point.ok === 0 ? null : point[key]))
  const lines: ChartSeries[] = [
    { label: 'p50', color: 'blue', values: of('p50') },
    { label: 'p95', color: 'violet', values: of('p95') },
    { label: 'p99', color: 'orange', values: of('p99') },
    { label: 'max', color: 'grey', values: of('max'), dashed: true },
  ]
  return {
    id: 'latency',
    title: 'Response time over time',
    note: 'Successful calls by when they settled, from when they were meant to start.',
    ...toMilliseconds(lines),
  }
}

function percentileCurve({ curve }: LoadReport): Chart {
  const lines: ChartSeries[] = [
    { label: 'response time', color: 'blue', values: curve.map(({ response }) => response) },
    { label: 'service time', color: 'teal', values: curve.map(({ service }) => service) },
  ]
  return {
    id: 'percentiles',
    title: 'Latency by percentile',
    note: 'Where the two lines part, calls waited: for a free slot, or to be started at all.',
    x: curve.map(({ percentile }) => 1 / Math.max(1e-9, 1 - percentile / 100)),
    xLabel: 'percentile of successful calls',
    xScale: 'percentile',
    ...toMilliseconds(lines),
  }
}

function throughput({ series, load }: LoadReport): Drawn {
  const rate = (of: (point: SeriesPoint) => number): (number | null)[] =>
    series.map((point) => (point.width === 0 ? null : (of(point) * 1_000) / point.width))
  const due = { label: 'due', color: 'grey', values: rate(({ offered }) => offered) }
  return {
    id: 'throughput',
    title: 'Throughput',
    note:
      load.model === 'open'
        ? 'Below the dashed line, calls were answered more slowly than they arrived.'
        : 'A closed load starts a call when another has settled.',
    yLabel: 'calls per second',
    yScale: 'linear',
    stacked: false,
    series: [
      { ...due, dashed: true },
      { label: 'succeeded', color: 'teal', values: rate(({ ok }) => ok) },
      { label: 'failed', color: 'red', values: rate(({ failed }) => failed) },
    ],
  }
}

function outcomes({ series, failures, calls }: LoadReport): Drawn {
  const codes = Object.entries(failures).toSorted(([, a], [, b]) => b.count - a.count)
  const named = codes.slice(0, FAILURE_COLORS.length).map(([code]) => code)
  const rest = (point: SeriesPoint): number =>
    point.failed - named.reduce((sum, code) => sum + (point.failures[code] ?? 0), 0)
  const layers: ChartSeries[] = [
    { label: 'succeeded', color: 'teal', values: series.map(({ ok }) => ok) },
    ...named.map((code, index) => ({
      label: code,
      color: FAILURE_COLORS[index] ?? 'red',
      values: series.map((point) => point.failures[code] ?? 0),
    })),
    { label: 'other failures', color: 'brown', values: series.map(rest) },
    { label: 'dropped', color: 'grey', values: series.map(({ dropped }) => dropped) },
  ]
  const has = (layer: ChartSeries): boolean => layer.values.some((value) => (value ?? 0) > 0)
  return {
    id: 'outcomes',
    title: 'Outcomes',
    note:
      calls.failed + calls.dropped === 0
        ? 'No call failed and none was dropped.'
        : 'Calls that settled or were dropped, stacked; the codes are listed below.',
    yLabel: 'calls per interval',
    yScale: 'linear',
    stacked: true,
    series: layers.filter((layer, index) => index === 0 || has(layer)),
  }
}

function hostDelay(series: readonly SeriesPoint[]): Drawn {
  return {
    id: 'loop',
    title: 'Event-loop delay of the host',
    note: 'How late the host itself was. The generator lives there too.',
    yLabel: 'ms',
    yScale: 'linear',
    stacked: false,
    series: [
      { label: 'p99', color: 'orange', values: series.map(({ loopP99Ms }) => loopP99Ms) },
      {
        label: 'max',
        color: 'grey',
        values: series.map(({ loopMaxMs }) => loopMaxMs),
        dashed: true,
      },
    ],
  }
}

function memory(series: readonly SeriesPoint[]): Drawn {
  const children = series.map(({ childrenMb }) => childrenMb ?? null)
  const host: ChartSeries = {
    label: 'host',
    color: 'blue',
    values: series.map(({ hostMb }) => hostMb),
  }
  const known = children.some((value) => value !== null)
  return {
    id: 'memory',
    title: 'Resident memory',
    note: 'Of the host, and of all its sandbox processes together.',
    yLabel: 'MB',
    yScale: 'linear',
    stacked: false,
    series: known ? [host, { label: 'sandboxes', color: 'violet', values: children }] : [host],
  }
}

function toMilliseconds(
  series: readonly ChartSeries[],
): Pick<Chart, 'series' | 'yScale' | 'yLabel' | 'stacked'> {
  const values = series
    .flatMap((line) => line.values)
    .filter((value) => value !== null && value > 0)
  const sorted = (values as number[]).toSorted((a, b) => a - b)
  const isWide = (sorted.at(-1) ?? 0) > WIDE * (sorted[Math.floor(sorted.length / 2)] ?? 0)
  const yLabel = isWide ? 'ms (logarithmic)' : 'ms'
  return { series, yScale: isWide ? 'log' : 'linear', yLabel, stacked: false }
}
