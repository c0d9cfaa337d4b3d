import { InvalidArgumentError } from 'commander'

const MAX_MS = 2_147_483_647

/** Parses a duration option (`1500`, `1500ms`, `2s`) into milliseconds. */
export function parseDuration(option: string): (text: string) => number {
  return (text) => {
    const [, number = '', unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(text) ?? []
    const ms = Number(number) * (unit === 's' ? 1_000 : 1)
    if (number !== '' && ms > 0 && ms <= MAX_MS) return ms
    throw new InvalidArgumentError(
      `${option} takes a time above 0 and up to ${MAX_MS} ms, such as 1500, 1500ms or 2s`,
    )
  }
}

/** Parses a whole number from `min` to `max`. */
export function parseCount(
  option: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    const range = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of at least ${min}`
    throw new InvalidArgumentError(`${option} takes a whole number ${range}`)
  }
}

/** Parses a date, or a date with a time, into the form in which records keep theirs (UTC). */
export function parseTime(option: string): (text: string) => string {
  return (text) => {
    const at = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
      ? new Date(text)
      : undefined
    if (at !== undefined && !Number.isNaN(at.getTime())) return at.toISOString()
    throw new InvalidArgumentError(
      `${option} takes an ISO 8601 time, such as 2030-01-31 or 2030-01-31T12:00:00Z`,
    )
  }
}
