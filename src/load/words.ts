import type { LoadReport } from './report.ts'

/** Milliseconds with about four digits, without a unit. */
export function showMs(ms: number): string {
  if (ms < 100) return ms.toFixed(2)
  return ms < 1_000 ? ms.toFixed(1) : `${Math.round(ms)}`
}

/** A rate with its unit. */
export function showRate(perSecond: number): string {
  return `${perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`
}

/** A count with its noun. */
export function showCount(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

/** A time span in the unit people would choose. */
export function showSpan(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`
}

/** The load in words. */
export function describeLoad({ load }: Pick<LoadReport, 'load'>): string {
  const { model, level, stages, durationMs, requests, warmup, arrivals, seed } = load
  const unit = model === 'open' ? '/s' : level === 1 ? ' caller' : ' callers'
  const ramps = stages.map(({ ms, target }) => ` → ${target} in ${showSpan(ms)}`).join('')
  const bounds = [
    ...(durationMs === undefined || stages.length > 0 ? [] : [`for ${showSpan(durationMs)}`]),
    ...(requests === undefined ? [] : [`${requests} calls at most`]),
  ]
  const warm =
    warmup.ms === undefined
      ? warmup.requests === undefined
        ? 'no warm-up'
        : `warm-up ${showCount(warmup.requests, 'call')}`
      : `warm-up ${showSpan(warmup.ms)}`
  const pace = model === 'open' && arrivals === 'poisson' ? ['poisson arrivals'] : []
  const parts = [
    `${model} model: ${level}${unit}${ramps}`,
    ...bounds,
    ...pace,
    warm,
    `seed ${seed}`,
  ]
  return parts.join(', ')
}
