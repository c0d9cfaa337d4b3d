import type { Arrivals } from './arrivals.ts'
import { createCaller, type LoadSink, type LoadTarget } from './caller.ts'
import type { Drive } from './drive.ts'

export interface OpenPhase {
  readonly arrivals: Arrivals
  readonly durationMs: number | undefined
  readonly maxOutstanding: number
}

/** Starts at most this many calls before others of the process have their turn. */
const BATCH = 32
/** Below this many milliseconds a timer is too coarse: it fires up to one late. */
const TIMER_MS = 2
/** Arrivals this far apart are waited for exactly, at a tenth of a core; closer ones by the tick. */
const SPARSE_MS = 20

/** Starts calls when they are due, however slow the answers are. One timer; what is late is caught up. */
export function driveOpen(target: LoadTarget, sink: LoadSink, phase: OpenPhase): Drive {
  const origin = performance.now()
  const done = Promise.withResolvers<void>()
  const { arrivals, maxOutstanding, durationMs = Infinity } = phase
  const alarm = createAlarm(() => pump())
  let due = arrivals.next()
  let gap = 0
  let spanMs = 0
  // Calls that settle at once would otherwise keep everybody else of the process waiting.
  const caller = createCaller(target, sink, () => {
    if (due === undefined) finish()
    else if (origin + due <= performance.now()) alarm.soon()
  })
  const finish = (): void => {
    if (due === undefined && caller.outstanding === 0) done.resolve()
  }
  const pump = (): void => {
    let now = performance.now()
    for (let made = 0; due !== undefined && origin + due <= now && made < BATCH; made += 1) {
      if (caller.outstanding >= maxOutstanding) sink.dropped()
      else caller.start(origin + due)
      const next = arrivals.next()
      // The last arrival covers as much of the schedule as the one before it.
      if (next !== undefined) gap = next - due
      spanMs = Math.min(durationMs, next ?? due + gap)
      due = next
      now = performance.now()
    }
    if (due === undefined) finish()
    else alarm.at(origin + due - now, gap)
  }
  alarm.soon()
  return {
    done: done.promise,
    get outstanding() {
      return caller.outstanding
    },
    get spanMs() {
      return spanMs
    },
    abort() {
      due = undefined
      alarm.cancel()
      caller.abort()
      finish()
    },
  }
}

/** The one timer of an open load. */
interface Alarm {
  /** Rings in the next turn of the event loop. */
  soon(): void
  /** Rings in `ms` milliseconds; exactly where arrivals are far apart. */
  at(ms: number, gap: number): void
  cancel(): void
}

function createAlarm(ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined
  const cancel = (): void => {
    clearTimeout(timer)
    clearImmediate(immediate)
    immediate = undefined
  }
  const soon = (): void => {
    if (immediate !== undefined) return
    clearTimeout(timer)
    immediate = setImmediate(() => {
      immediate = undefined
      ring()
    })
  }
  return {
    soon,
    at(ms, gap) {
      cancel()
      const isExact = gap >= SPARSE_MS
      if (ms <= 0 || (isExact && ms < TIMER_MS)) return soon()
      timer = setTimeout(ring, Math.max(1, Math.floor(ms - (isExact ? TIMER_MS - 1 : 0))))
    },
    cancel,
  }
}
