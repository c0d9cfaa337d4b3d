import { z } from 'zod'
import { CaissonError } from '../errors/caisson-error.ts'

/** One figure of two reports. `change` is relative to the first; null where that is 0. */
export interface ComparedFigure {
  readonly figure: string
  readonly unit: 'ms' | '/s' | '%' | 'MB' | ''
  readonly before: number
  readonly after: number
  readonly change: number | null
  /** `seen`: shown, and never a reason to fail. */
  readonly verdict: 'same' | 'better' | 'worse' | 'seen'
}

export interface Comparison {
  readonly tolerance: number
  /** False when a figure is worse by more than the tolerance. */
  readonly ok: boolean
  readonly figures: readonly ComparedFigure[]
  /** What makes the two hard to compare. */
  readonly notes: readonly string[]
}

const ms = z.number().nonnegative()
const latency = z.object({
  count: z.number(),
  p50: ms,
  p90: ms,
  p95: ms,
  p99: ms,
  p99_9: ms,
  max: ms,
})
const schema = z.object({
  format: z.literal('caisson-bench/1'),
  interrupted: z.boolean(),
  load: z.object({
    model: z.enum(['open', 'closed']),
    level: z.number(),
    stages: z.array(z.object({ ms: z.number(), target: z.number() })),
    durationMs: z.number().optional(),
    requests: z.number().optional(),
    arrivals: z.string(),
    seed: z.number(),
  }),
  calls: z.object({ ok: z.number(), failed: z.number(), dropped: z.number() }),
  rate: z.object({ achieved: z.number() }),
  latency: z.object({ response: latency, service: latency }),
  tools: z.array(z.object({ tool: z.string(), weight: z.number() })),
  engine: z.object({ kills: z.number() }),
  host: z.object({ memory: z.object({ hostPeakMb: z.number() }) }),
  environment: z.record(z.string(), z.union([z.string(), z.number()])),
})

/** What of a report is compared. */
export type ComparableReport = z.infer<typeof schema>

/** Parses the text of a file written by `bench --json`. Throws `CONFIG_INVALID` naming the file. */
export function parseReport(text: string, file: string): ComparableReport {
  const refuse = (why: string): CaissonError =>
    new CaissonError('CONFIG_INVALID', `${file} is no report of caisson bench --json: ${why}`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : 'it is no JSON')
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw refuse(`${issue?.path.join('.') || 'report'}: ${issue?.message ?? 'wrong shape'}`)
}

/**
 * Compares two reports. Response times up to p99, successes a second and the share of errors may be
 * worse by `tolerance` (0.1 for a tenth) before it counts.
 */
export function compareReports(
  before: ComparableReport,
  after: ComparableReport,
  tolerance: number,
): Comparison {
  const compare = createComparer(before, after, tolerance)
  const figures = [
    compare('response p50', 'ms', 'less', ({ latency }) => latency.response.p50),
    compare('response p90', 'ms', 'less', ({ latency }) => latency.response.p90),
    compare('response p95', 'ms', 'less', ({ latency }) => latency.response.p95),
    compare('response p99', 'ms', 'less', ({ latency }) => latency.response.p99),
    compare('response p99.9', 'ms', 'seen', ({ latency }) => latency.response.p99_9),
    compare('response max', 'ms', 'seen', ({ latency }) => latency.response.max),
    compare('service p50', 'ms', 'seen', ({ latency }) => latency.service.p50),
    compare('service p99', 'ms', 'seen', ({ latency }) => latency.service.p99),
    compare('achieved', '/s', 'more', ({ rate }) => rate.achieved),
    compare('errors', '%', 'less', ({ calls }) => errorShare(calls)),
    compare('kills', '', 'seen', ({ engine }) => engine.kills),
    compare('host memory', 'MB', 'seen', ({ host }) => host.memory.hostPeakMb),
  ]
  const measured = before.latency.response.count > 0 && after.latency.response.count > 0
  const ok = measured && figures.every(({ verdict }) => verdict !== 'worse')
  return { tolerance, ok, figures, notes: toNotes(before, after) }
}

type Reader = (report: ComparableReport) => number

function createComparer(before: ComparableReport, after: ComparableReport, tolerance: number) {
  return (
    figure: string,
    unit: ComparedFigure['unit'],
    wanted: 'less' | 'more' | 'seen',
    read: Reader,
  ): ComparedFigure => {
    const [a, b] = [read(before), read(after)]
    const change = a === 0 ? null : Math.round(((b - a) / a) * 10_000) / 10_000
    const [low, high] = [a * (1 - tolerance), a * (1 + tolerance)]
    const moved = b > high ? 'more' : b < low ? 'less' : undefined
    const judged = moved === undefined ? 'same' : moved === wanted ? 'better' : 'worse'
    return {
      figure,
      unit,
      before: a,
      after: b,
      change,
      verdict: wanted === 'seen' ? 'seen' : judged,
    }
  }
}

function errorShare({ ok, failed, dropped }: ComparableReport['calls']): number {
  const all = ok + failed + dropped
  return all === 0 ? 0 : Math.round(((failed + dropped) / all) * 1e6) / 1e4
}

function toNotes(before: ComparableReport, after: ComparableReport): string[] {
  const notes: string[] = []
  const differ = (what: string, read: (report: ComparableReport) => unknown): void => {
    const [a, b] = [before, after].map((report) => JSON.stringify(read(report)))
    if (a !== b) notes.push(`They differ in ${what}: ${a} and ${b}.`)
  }
  for (const key of [
    'model',
    'level',
    'stages',
    'durationMs',
    'requests',
    'arrivals',
    'seed',
  ] as const) {
    differ(key, ({ load }) => load[key] ?? null)
  }
  differ('the tools', ({ tools }) => tools.map(({ tool, weight }) => `${tool}=${weight}`))
  for (const key of ['engine', 'profile', 'state', 'cores', 'cpu', 'node', 'platform'] as const) {
    differ(key, ({ environment }) => environment[key] ?? null)
  }
  for (const [name, report] of [
    ['first', before],
    ['second', after],
  ] as const) {
    if (report.interrupted) notes.push(`The ${name} load was interrupted.`)
    if (report.latency.response.count === 0) notes.push(`No call of the ${name} load succeeded.`)
  }
  return notes
}
