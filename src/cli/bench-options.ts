import { InvalidArgumentError } from 'commander'
import { CaissonError } from '../errors/caisson-error.ts'
import type { JsonValue } from '../types/json.ts'
import type { LoadCall, LoadSpec, Stage, Warmup } from '../load/spec.ts'
import { readArgs } from './read-args.ts'

/** The options of a load as they were given. */
export interface LoadOptions {
  readonly args: string
  readonly argsOf: readonly string[]
  readonly mix?: ReadonlyMap<string, number>
  readonly rate?: number
  readonly concurrency?: number
  readonly stages?: readonly Stage[]
  readonly duration?: number
  readonly requests?: number
  readonly warmup: Warmup
  readonly arrivals: 'constant' | 'poisson'
  readonly seed: number
  readonly maxOutstanding: number
}

const DEFAULT_RATE = 50
const DEFAULT_MS = 10_000
const MAX_RATE = 100_000
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const SPAN = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/
const MAX_MS = 2_147_483_647

/** Arguments of calls: of every tool, and of those that have their own. */
export interface LoadArgs {
  readonly common: JsonValue
  readonly own: ReadonlyMap<string, JsonValue>
}

/** Reads `--args` and each `--args-of`. Throws `CONFIG_INVALID`. */
export async function readLoadArgs(options: LoadOptions): Promise<LoadArgs> {
  const own = new Map<string, JsonValue>()
  for (const given of options.argsOf) {
    const [, tool, text] = /^([^=]+)=(.*)$/s.exec(given) ?? []
    if (tool === undefined || text === undefined) {
      throw invalid('--args-of takes <tool>=<json> or <tool>=@file')
    }
    own.set(tool, await readArgs(text))
  }
  return { common: await readArgs(options.args), own }
}

/** The load that the options describe. Throws `CONFIG_INVALID` for options that exclude each other. */
export function resolveLoad(
  tools: readonly Pick<LoadCall, 'tool' | 'weight'>[],
  args: LoadArgs,
  options: LoadOptions,
): LoadSpec {
  const { rate, concurrency, stages = [], requests } = options
  checkLoad(options)
  for (const name of args.own.keys()) {
    if (tools.some(({ tool }) => tool === name)) continue
    const names = tools.map(({ tool }) => tool).join(', ')
    throw invalid(`--args-of ${name}: no such tool is called; known: ${names}`)
  }
  const isStaged = stages.length > 0
  const staged = stages.reduce((sum, { ms }) => sum + ms, 0)
  const held = options.duration ?? (requests === undefined ? DEFAULT_MS : undefined)
  return {
    model: concurrency === undefined ? 'open' : 'closed',
    calls: tools.map((call) => ({ ...call, args: args.own.get(call.tool) ?? args.common })),
    level: concurrency ?? rate ?? (isStaged ? 0 : DEFAULT_RATE),
    stages,
    durationMs: isStaged ? staged : held,
    requests,
    warmup: options.warmup,
    arrivals: options.arrivals,
    seed: options.seed,
    maxOutstanding: options.maxOutstanding,
  }
}

/** Throws `CONFIG_INVALID` for options that exclude each other. */
export function checkLoad({ rate, concurrency, stages, duration }: LoadOptions): void {
  if (rate !== undefined && concurrency !== undefined) {
    throw invalid(
      '--rate (calls arrive on a schedule) and --concurrency (callers wait) exclude each other',
    )
  }
  if (stages !== undefined && duration !== undefined) {
    throw invalid('--stages say how long the load is; leave --duration out')
  }
}

/** Parses a span such as `500ms`, `10s`, `1.5m`; a bare number is milliseconds. */
export function parseSpan(option: string): (text: string) => number {
  return (text) => {
    const ms = toMs(text)
    if (ms !== undefined) return ms
    throw new InvalidArgumentError(`${option} takes a time above 0, such as 500ms, 10s or 1.5m`)
  }
}

/** Parses `200` or `200/s`. */
export function parseRate(text: string): number {
  const [, number = ''] = /^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text) ?? []
  const rate = Number(number)
  if (number !== '' && rate > 0 && rate <= MAX_RATE) return rate
  throw new InvalidArgumentError(
    `--rate takes calls a second, such as 200 or 200/s, up to ${MAX_RATE}`,
  )
}

/** Parses `10s:100,30s:500`. */
export function parseStages(text: string): Stage[] {
  return text.split(',').map((part) => {
    const [span = '', target = '', ...more] = part.trim().split(':')
    const ms = toMs(span)
    const level = /^\d+(?:\.\d+)?$/.test(target) ? Number(target) : Number.NaN
    if (ms !== undefined && level <= MAX_RATE && more.length === 0) return { ms, target: level }
    throw new InvalidArgumentError(
      '--stages takes times with the level to move to, such as 10s:100,30s:500',
    )
  })
}

/** Parses `20` (calls) or `2s`; `0` for none. */
export function parseWarmup(text: string): Warmup {
  if (/^0(ms|s)?$/.test(text)) return {}
  if (/^\d{1,9}$/.test(text)) return { requests: Number(text) }
  const ms = toMs(text)
  if (ms !== undefined) return { ms }
  throw new InvalidArgumentError('--warmup takes a number of calls, or a time such as 2s')
}

/** Parses `search=3,fetch=1`. */
export function parseMix(text: string): ReadonlyMap<string, number> {
  const mix = new Map<string, number>()
  for (const part of text.split(',')) {
    const [, tool = '', weight = ''] = /^\s*([^=\s]+)=(\d+(?:\.\d+)?)\s*$/.exec(part) ?? []
    if (tool === '' || Number(weight) <= 0 || mix.has(tool)) {
      throw new InvalidArgumentError(
        '--mix takes tools with weights above 0, such as search=3,fetch=1',
      )
    }
    mix.set(tool, Number(weight))
  }
  return mix
}

/** Collects an option that may be given several times. */
export function collect(text: string, before: readonly string[]): string[] {
  return [...before, text]
}

function toMs(text: string): number | undefined {
  const [, number = '', unit = 'ms'] = SPAN.exec(text.trim()) ?? []
  const ms = Number(number) * (UNITS[unit] ?? Number.NaN)
  return number !== '' && ms > 0 && ms <= MAX_MS ? ms : undefined
}

function invalid(text: string): CaissonError {
  return new CaissonError('CONFIG_INVALID', text)
}
