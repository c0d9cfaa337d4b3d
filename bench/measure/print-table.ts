/** Prints rows under their heads, first column to the left and the others to the right. */
export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => (row[at] ?? '').length)),
  )
  const draw = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  for (const row of [heads, widths.map((width) => '-'.repeat(width)), ...rows]) {
    console.log(draw(row))
  }
  console.log()
}

/** Says on stderr what a reader of the figures has to know, such as a peer that is not there. */
export function note(text: string): void {
  process.stderr.write(`note: ${text}\n`)
}
