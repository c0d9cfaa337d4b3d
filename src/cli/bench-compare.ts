import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { CaissonError } from '../errors/caisson-error.ts'
import { compareReports, parseReport, type ComparableReport } from '../load/compare.ts'
import { drawComparison } from '../load/draw-comparison.ts'
import type { Output } from './output.ts'

export interface CompareOptions {
  readonly before: string
  readonly after: string
  readonly tolerance: number
}

const REGRESSION = 99
const MAX_BYTES = 64 * 1024 * 1024

/** `caisson bench compare`: two reports side by side. Exits 99 when the second is worse. */
export function runCompare(output: Output, options: CompareOptions): number {
  const comparison = compareReports(
    readReport(options.before),
    readReport(options.after),
    options.tolerance,
  )
  if (output.json) output.object(comparison)
  else for (const row of drawComparison(comparison, output)) output.line(row)
  return comparison.ok ? 0 : REGRESSION
}

/** Parses `10%` or `0.1` into a share. */
export function parseTolerance(text: string): number {
  const [, number = '', percent] = /^(\d+(?:\.\d+)?)(%)?$/.exec(text) ?? []
  if (number !== '') return Number(number) / (percent === undefined ? 1 : 100)
  throw new InvalidArgumentError('--tolerance takes a share, such as 10% or 0.1')
}

function readReport(path: string): ComparableReport {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`
    throw new CaissonError('CONFIG_INVALID', `${path}: ${why}`)
  }
  if (text.length > MAX_BYTES) throw new CaissonError('CONFIG_INVALID', `${path} is too long`)
  return parseReport(text, path)
}
