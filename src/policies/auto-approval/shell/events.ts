import type { Line, LineEvent } from './line.ts'
import { addCode } from './line.ts'

/** Reasons that come from two commands of a line together. */
export function judgeEvents(line: Line): void {
  const senders = line.events.filter((event) => event.kind === 'sender')
  for (const event of line.events) {
    if (event.kind === 'secret' && senders.some((sender) => reaches(event, sender)))
      addCode(line, 'EXFILTRATION')
    if (event.kind === 'dump' && senders.some((sender) => feeds(event, sender)))
      addCode(line, 'EXFILTRATION')
    if (event.kind === 'shell' && senders.some((sender) => isDownstream(sender, event)))
      addCode(line, 'REMOTE_SHELL')
  }
}

// A read comes earlier, feeds the sender, or stands in its words; in loops and functions order says nothing.
function reaches(read: LineEvent, sender: LineEvent): boolean {
  return (
    read.order <= sender.order ||
    sender.deferred ||
    sender.inside.includes(read.command) ||
    read.inside.includes(sender.command) ||
    read.loops.some((loop) => sender.loops.includes(loop))
  )
}

function feeds(dump: LineEvent, sender: LineEvent): boolean {
  return (
    dump.inside.includes(sender.command) ||
    sender.inside.includes(dump.command) ||
    isDownstream(sender, dump)
  )
}

function isDownstream(sender: LineEvent, event: LineEvent): boolean {
  return event.pipes.some(({ pipe, index }) =>
    sender.pipes.some((place) => place.pipe === pipe && place.index > index),
  )
}
