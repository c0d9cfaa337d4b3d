import { escapeToLine } from '../cards/escape.ts'
import type { ComparedFigure, Comparison } from './compare.ts'
import { createPainter, type DrawOptions, type Painter } from './painter.ts'

/** A comparison as lines for a terminal; the verdict is the first. */
export function drawComparison(comparison: Comparison, options: DrawOptions): string[] {
  const painter = createPainter(options)
  const { ok, tolerance, figures, notes } = comparison
  const allowed = `${Math.round(tolerance * 1_000) / 10} %`
  const verdict = ok
    ? painter.green(`✔ nothing is worse by more than ${allowed}`)
    : painter.red(`✘ worse by more than ${allowed}`)
  const head = `${''.padEnd(18)}${['before', 'after', 'change'].map((name) => name.padStart(12)).join('')}`
  return [
    verdict,
    '',
    painter.dim(head.trimEnd()),
    ...figures.map((figure) => drawFigure(figure, painter)),
    ...notes.flatMap((note) => painter.wrap(`! ${escapeToLine(note, 1_000)}`, 'yellow')),
  ]
}

const MARKS: Readonly<Record<ComparedFigure['verdict'], string>> = {
  same: '',
  seen: '',
  better: '  ✔ better',
  worse: '  ✘ worse',
}

function drawFigure(compared: ComparedFigure, painter: Painter): string {
  const { figure, unit, before, after, change, verdict } = compared
  const label = `${figure}${unit === '' ? '' : ` (${unit})`}`.padEnd(18)
  const sign = change !== null && change > 0 ? '+' : ''
  const moved = change === null ? '–' : `${sign}${(change * 100).toFixed(1)} %`
  const cells = [show(before), show(after), moved].map((cell) => cell.padStart(12)).join('')
  const row = label + cells + MARKS[verdict]
  if (verdict === 'worse') return painter.red(row)
  return verdict === 'better' ? painter.green(row) : row
}

function show(value: number): string {
  if (Number.isInteger(value)) return `${value}`
  return value < 100 ? value.toFixed(2) : value.toFixed(1)
}
