import { styleText } from 'node:util'
import { measureColumns } from '../cards/columns.ts'
import type { Style } from '../cards/pen.ts'

export interface DrawOptions {
  readonly width: number
  readonly color: boolean
}

/** Styles printable text. */
export interface Painter {
  dim(text: string): string
  green(text: string): string
  red(text: string): string
  /** Rows of at most the width, broken between words; further ones are indented. */
  wrap(text: string, style?: Style, indent?: number): string[]
}

/** Creates a painter; without colour it leaves text as it is. */
export function createPainter({ width, color }: DrawOptions): Painter {
  const paint = (text: string, style: Style | undefined): string =>
    color && style !== undefined && text !== ''
      ? styleText(style, text, { validateStream: false })
      : text
  return {
    dim: (text) => paint(text, 'dim'),
    green: (text) => paint(text, 'green'),
    red: (text) => paint(text, 'red'),
    wrap: (text, style, indent = 2) =>
      wrapWords(text, width, ' '.repeat(indent)).map((row) => paint(row, style)),
  }
}

function wrapWords(text: string, width: number, indent: string): string[] {
  const rows: string[] = []
  let row = ''
  // What aligns columns stays; only single spaces between words are broken.
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const joined = row === '' ? word : `${row} ${word}`
    if (row !== '' && measureColumns(joined) > width) {
      rows.push(row)
      row = indent + word
    } else row = joined
  }
  return [...rows, row]
}
