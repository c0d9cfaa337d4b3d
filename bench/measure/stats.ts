/** The value below which `share` of the samples lie; NaN for none. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The middle of the samples; NaN for none. */
export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

/** A figure with three significant digits, and no exponent for the sizes that occur here. */
export function toFigure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

/** How many times `base` a value is, as `1.53×`. */
export function toRatio(value: number, base: number): string {
  return `${toFigure(value / base)}×`
}
