import type { Segment } from '../segment.ts'
import { restOf, startOf } from '../shell-word.ts'

/** A command that nobody listed: each operand can be anything. */
export function judgeUnknown(segment: Segment): void {
  segment.mark('other')
  segment.add('UNKNOWN_COMMAND')
  judgeOperands(segment)
}

// Operands, and path-like values of flags.
function judgeOperands(segment: Segment): void {
  for (const word of segment.args) {
    const start = startOf(word)
    if (!start.startsWith('-')) segment.path(word, 'unknown')
    else {
      const at = start.indexOf('=')
      if (at > 0) segment.path(restOf(word, at + 1), 'unknown')
      else if (!start.startsWith('--') && /^[./~]/.test(start.slice(2)))
        segment.path(restOf(word, 2), 'unknown')
    }
  }
}
