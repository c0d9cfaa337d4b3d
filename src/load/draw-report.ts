import { escapeToLine } from '../cards/escape.ts'
import type { Style } from '../cards/pen.ts'
import { createPainter, type DrawOptions, type Painter } from './painter.ts'
import type { LatencyReport } from './latency.ts'
import type { Environment, LoadReport, ToolReport } from './report.ts'
import type { HostReport } from './sampler.ts'
import type { ThresholdReport } from './thresholds.ts'
import { describeLoad, showCount, showMs, showRate } from './words.ts'

/** A report as lines for a terminal: thresholds, what was run, latencies, counts, host, warnings. */
export function drawReport(report: LoadReport, options: DrawOptions): string[] {
  const painter = createPainter(options)
  const names = report.tools.map(({ tool }) => tool)
  return [
    ...drawThresholds(report.thresholds, painter),
    ...painter.wrap(`${names.join(', ')}: ${describeLoad(report)}`, 'bold'),
    '',
    ...drawLatencies(report, painter),
    '',
    ...drawTools(report.tools, painter),
    ...drawFacts(report, painter),
    ...report.warnings.flatMap((warning) => painter.wrap(`! ${warning}`, 'yellow')),
  ]
}

const COLUMNS = ['p50', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const
const LABEL = 14
const CELL = 10

function drawThresholds(thresholds: readonly ThresholdReport[], painter: Painter): string[] {
  if (thresholds.length === 0) return []
  const rows = thresholds.map(({ expression, ok, actual, unit }) => {
    const shown = actual === null ? 'nothing to measure' : `${actual} ${unit}`.trimEnd()
    const mark = ok ? painter.green('✔') : painter.red('✘')
    return `${mark} ${expression.padEnd(20)} ${shown}`
  })
  return [...rows, '']
}

function drawLatencies({ latency, load }: LoadReport, painter: Painter): string[] {
  const head = 'ms'.padEnd(LABEL) + COLUMNS.map((name) => name.padStart(CELL)).join('')
  const rows: [string, LatencyReport][] = [
    ['response time', latency.response],
    ['service time', latency.service],
    ['queue wait', latency.queue],
  ]
  if (latency.failed.count > 0) rows.push(['failed calls', latency.failed])
  if (load.model === 'open') rows.push(['generator lag', latency.lag])
  return [painter.dim(head), ...rows.map(([label, row]) => drawLatency(label, row))]
}

function drawLatency(label: string, row: LatencyReport): string {
  const values = [row.p50, row.p90, row.p95, row.p99, row.p99_9, row.max]
  const cells = values.map((ms) => (row.count === 0 ? '–' : showMs(ms)).padStart(CELL))
  return label.padEnd(LABEL) + cells.join('')
}

function drawTools(tools: readonly ToolReport[], painter: Painter): string[] {
  if (tools.length < 2) return []
  const width = Math.max(LABEL, ...tools.map(({ tool }) => tool.length + 1))
  const names = ['ok', 'failed', 'p50', 'p95', 'p99', 'max']
  const head = 'tool'.padEnd(width) + names.map((name) => name.padStart(CELL)).join('')
  const rows = tools.map(({ tool, ok, failed, p50, p95, p99, max }) => {
    const cells = [
      `${ok}`,
      `${failed}`,
      ...[p50, p95, p99, max].map((ms) => (ok === 0 ? '–' : showMs(ms))),
    ]
    return tool.padEnd(width) + cells.map((cell) => cell.padStart(CELL)).join('')
  })
  return [painter.dim(head), ...rows, '']
}

function drawFacts(report: LoadReport, painter: Painter): string[] {
  const facts: (readonly [string, string, Style?])[] = [
    ...describeCalls(report),
    ...describeHost(report.host),
    ...describeMachine(report.environment),
  ]
  return facts.flatMap(([label, text, style]) =>
    painter.wrap(label.padEnd(LABEL) + text, style, LABEL),
  )
}

function describeCalls(report: LoadReport): (readonly [string, string, Style?])[] {
  const { calls, rate, engine, failures, elapsedMs } = report
  const { offered, ok, failed, dropped, unfinished, retries } = calls
  const lost = [`${failed} failed`, `${dropped} dropped`, `${unfinished} unfinished`].join(', ')
  const asked = rate.asked === undefined ? '' : `asked ${showRate(rate.asked)}, `
  const codes = Object.entries(failures).map(
    ([code, { count, message }]) => `${code} ${count}: ${escapeToLine(message, 200)}`,
  )
  return [
    ['calls', `${offered} due, ${ok} ok, ${lost} in ${(elapsedMs / 1_000).toFixed(2)} s`],
    ['rate', `${asked}achieved ${showRate(rate.achieved)}`],
    ...codes.map((text, index) => [index === 0 ? 'failures' : '', text, 'red'] as const),
    [
      'engine',
      `${showCount(engine.kills, 'kill')}, ${showCount(engine.recycles, 'recycle')}, ` +
        `${engine.started} started, ${showCount(retries, 'retry', 'retries')}` +
        (engine.lost === 0 ? '' : `, ${engine.lost} LOST`),
    ],
  ]
}

function describeHost({ eventLoop, gc, memory }: HostReport): (readonly [string, string])[] {
  const processes = showCount(memory.childrenPeak, 'process', 'processes')
  const children =
    memory.childrenPeakMb === undefined
      ? ''
      : `; sandboxes ${memory.childrenPeakMb} MB at most (${processes})`
  return [
    [
      'event loop',
      `late p99 ${showMs(eventLoop.p99Ms)} ms, max ${showMs(eventLoop.maxMs)} ms, ` +
        `${Math.round(eventLoop.utilization * 100)} % busy; GC ${showCount(gc.count, 'run')}, ${gc.totalMs} ms`,
    ],
    ['memory', `host ${memory.hostStartMb} MB, at most ${memory.hostPeakMb} MB${children}`],
  ]
}

function describeMachine(environment: Environment): (readonly [string, string])[] {
  const { cores, cpu, node, platform, engine, profile, sandbox, state, caisson } = environment
  return [
    ['sandbox', `${engine}, profile ${profile}, state ${state}: ${sandbox}`],
    ['machine', `${cores} cores (${cpu}), Node ${node}, ${platform}, caisson ${caisson}`],
  ]
}
