import { CaissonError } from '../errors/caisson-error.ts'
import { percentileMs, type Histogram } from './latency.ts'
import type { CallCounts } from './recorder.ts'

/** A demand on a load, such as `p95<20`, `errors<1%`, `rate>500`. */
export interface Threshold {
  readonly expression: string
  readonly operator: '<' | '<=' | '>' | '>='
  /** In milliseconds, a share from 0 to 1, a count, or calls a second. */
  readonly limit: number
  readonly subject: Subject
}

type Kind = 'response' | 'service' | 'queue' | 'lag'
type Subject =
  | { readonly of: 'latency'; readonly kind: Kind; readonly at: number | 'mean' }
  | { readonly of: 'count'; readonly name: CountName; readonly asShare: boolean }
  | { readonly of: 'rate' }

type CountName = 'errors' | 'failed' | 'dropped' | 'kills' | 'retries'

/** What thresholds are held against. */
export interface Measured {
  readonly counts: CallCounts
  readonly latencies: Readonly<Record<Kind, Histogram>>
  /** Successes a second. */
  readonly rate: number
  readonly kills: number
}

export interface ThresholdReport {
  readonly expression: string
  readonly ok: boolean
  /** In the unit of the limit: milliseconds, percent, a count, calls a second. `null`: nothing to measure. */
  readonly actual: number | null
  readonly unit: 'ms' | '%' | '/s' | ''
}

const LATENCY =
  /^(?:(response|service|queue|lag)\.)?(?:p\(?(\d+(?:\.\d+)?)\)?|(min|med|avg|mean|max))$/
const COUNT = /^(errors|failed|dropped|kills|retries)$/
const FORM = /^([a-z][a-z.]*\(?[\d.]*\)?)(<=|>=|<|>)(\d+(?:\.\d+)?)(%|us|ms|s|\/s)?$/
const NAMED: Readonly<Record<string, number | 'mean'>> = {
  min: 0,
  med: 50,
  max: 100,
  avg: 'mean',
  mean: 'mean',
}
const TO_MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 }

/** Parses one expression. Throws `CONFIG_INVALID` saying what is allowed. */
export function parseThreshold(text: string): Threshold {
  const expression = text.replaceAll(/\s/g, '')
  const [, name = '', operator = '', number = '', unit = ''] = FORM.exec(expression) ?? []
  const subject = parseSubject(name, unit)
  const scale = subject === undefined ? undefined : scaleOf(subject, unit)
  if (subject === undefined || scale === undefined) throw notUnderstood(text)
  return {
    expression,
    operator: operator as Threshold['operator'],
    limit: Number(number) * scale,
    subject,
  }
}

/** Holds a threshold against what was measured; one about latency fails when no call succeeded. */
export function evaluateThreshold(threshold: Threshold, measured: Measured): ThresholdReport {
  const { expression, operator, limit, subject } = threshold
  const value = valueOf(subject, measured)
  const unit = unitOf(subject)
  if (value === undefined) return { expression, ok: false, actual: null, unit }
  const actual = unit === '%' ? value * 100 : value
  return { expression, ok: compare(value, operator, limit), actual: round(actual), unit }
}

function parseSubject(name: string, unit: string): Subject | undefined {
  if (name === 'rate') return { of: 'rate' }
  const [, count] = COUNT.exec(name) ?? []
  if (count !== undefined) return { of: 'count', name: count as CountName, asShare: unit === '%' }
  const [, kind = 'response', percentile, word] = LATENCY.exec(name) ?? []
  const at = percentile === undefined ? NAMED[word ?? ''] : Number(percentile)
  if (at === undefined || (typeof at === 'number' && at > 100)) return undefined
  return { of: 'latency', kind: kind as Kind, at }
}

function scaleOf(subject: Subject, unit: string): number | undefined {
  switch (subject.of) {
    case 'latency':
      return TO_MS[unit === '' ? 'ms' : unit]
    case 'rate':
      return unit === '' || unit === '/s' ? 1 : undefined
    case 'count':
      if (unit === '%') return subject.name === 'kills' ? undefined : 0.01
      return unit === '' ? 1 : undefined
  }
}

function valueOf(subject: Subject, measured: Measured): number | undefined {
  const { counts, latencies } = measured
  switch (subject.of) {
    case 'latency': {
      const histogram = latencies[subject.kind]
      if (histogram.totalCount === 0) return undefined
      return subject.at === 'mean' ? histogram.mean / 1_000 : percentileMs(histogram, subject.at)
    }
    case 'rate':
      return measured.rate
    case 'count': {
      const { ok, failed, dropped } = counts
      const errors = failed + dropped
      const value = { ...counts, kills: measured.kills, errors }[subject.name]
      if (!subject.asShare) return value
      return ok + errors === 0 ? undefined : value / (ok + errors)
    }
  }
}

function unitOf(subject: Subject): ThresholdReport['unit'] {
  if (subject.of === 'latency') return 'ms'
  if (subject.of === 'rate') return '/s'
  return subject.asShare ? '%' : ''
}

function compare(value: number, operator: Threshold['operator'], limit: number): boolean {
  switch (operator) {
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    case '>':
      return value > limit
    case '>=':
      return value >= limit
  }
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

function notUnderstood(text: string): CaissonError {
  const allowed =
    'p95<20, p(99)<=1s, service.p99<5ms, queue.max<100, lag.p99<5, avg<10, errors<1%, dropped<=0, kills<=3, rate>500'
  return new CaissonError(
    'CONFIG_INVALID',
    `threshold '${text}' is not understood; examples: ${allowed}`,
  )
}
