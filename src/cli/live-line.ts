import { fitColumns } from '../cards/columns.ts'
import type { Output } from './output.ts'

/** Says on standard error how far something is. */
export interface LiveLine {
  /** Whether it is one line of a terminal that is drawn anew; else there is a line now and then. */
  readonly isLive: boolean
  /** Says it, unless something was said a moment ago. */
  show(line: () => string): void
  /** Takes the live line away. */
  clear(): void
}

const LIVE_MS = 200
const LINE_MS = 2_000
const CLEAR = '\r\x1b[2K'

/** Creates the line; with `--json` off a terminal it says nothing. */
export function createLiveLine(output: Output): LiveLine {
  const { stderr } = process
  const isLive = stderr.isTTY
  let shown = isLive ? -Infinity : performance.now()
  let isDrawn = false
  return {
    isLive,
    show(line) {
      const now = performance.now()
      if (now - shown < (isLive ? LIVE_MS : LINE_MS) || (output.json && !isLive)) return
      shown = now
      if (!isLive) return output.note(line())
      // Some terminals do not know their width, or say 0.
      const columns = stderr.columns > 1 ? stderr.columns : 80
      stderr.write(CLEAR + fitColumns(line(), columns - 1))
      isDrawn = true
    },
    clear() {
      if (isDrawn) stderr.write(CLEAR)
      isDrawn = false
    },
  }
}
