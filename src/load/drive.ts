import type { Arrivals } from './arrivals.ts'
import { createCaller, type Caller, type LoadSink, type LoadTarget } from './caller.ts'

/** A phase of a load under way. */
export interface Drive {
  /** Resolves once nothing is to be started any more and everything has settled. */
  readonly done: Promise<void>
  readonly outstanding: number
  /** What the schedule covered so far, in milliseconds; undefined for a closed load. */
  readonly spanMs: number | undefined
  /** Starts nothing more and aborts what is under way. */
  abort(): void
}

export interface OpenPhase {
  readonly arrivals: Arrivals
  readonly durationMs: number | undefined
  readonly maxOutstanding: number
}

export interface ClosedPhase {
  /** Callers at a time, in milliseconds from the beginning. */
  level(at: number): number
  readonly durationMs: number | undefined
  readonly requests: number | undefined
}

/** Starts at most this many calls before others of the process have their turn. */
const BATCH = 64
/** Below this many milliseconds a timer is too coarse: it fires up to one late. */
const TIMER_MS = 2
/** Arrivals this far apart are waited for exactly, at a tenth of a core; closer ones by the tick. */
const SPARSE_MS = 10
/** A closed load whose calls settle at once gives way to the rest of the process this often. */
const TURN_MS = 5
const LEVEL_MS = 50

/** Starts calls when they are due, however slow the answers are. One timer; what is late is caught up. */
export function driveOpen(target: LoadTarget, sink: LoadSink, phase: OpenPhase): Drive {
  const origin = performance.now()
  const done = Promise.withResolvers<void>()
  const { arrivals, maxOutstanding, durationMs = Infinity } = phase
  let due = arrivals.next()
  let gap = 0
  let spanMs = 0
  let wake: { cancel(): void } | undefined
  const caller: Caller = createCaller(target, sink, () => {
    if (due !== undefined && origin + due <= performance.now()) pump()
    else finish()
  })
  const finish = (): void => {
    if (due === undefined && caller.outstanding === 0) done.resolve()
  }
  const pump = (): void => {
    wake?.cancel()
    wake = undefined
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
    if (due === undefined) return finish()
    wake = wakeIn(origin + due - now, gap, pump)
  }
  wake = wakeIn(0, gap, pump)
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
      wake?.cancel()
      caller.abort()
      finish()
    },
  }
}

/** Keeps as many callers busy as the level says; each starts its next call when its last has settled. */
export function driveClosed(target: LoadTarget, sink: LoadSink, phase: ClosedPhase): Drive {
  const origin = performance.now()
  const done = Promise.withResolvers<void>()
  const { durationMs = Infinity, requests = Infinity } = phase
  let made = 0
  let stopped = false
  let turn = origin
  let coming: NodeJS.Immediate | undefined
  const isOver = (at: number): boolean => stopped || made >= requests || at >= durationMs
  const caller: Caller = createCaller(target, sink, () => {
    if (performance.now() - turn < TURN_MS) fill()
    else coming ??= setImmediate(fillLater)
  })
  const fillLater = (): void => {
    coming = undefined
    turn = performance.now()
    fill()
  }
  const fill = (): void => {
    const at = performance.now() - origin
    const level = Math.round(phase.level(at))
    while (caller.outstanding < level && !isOver(at)) {
      made += 1
      caller.start(performance.now())
    }
    if (!isOver(at)) return
    clearInterval(timer)
    if (caller.outstanding === 0) done.resolve()
  }
  const timer = setInterval(fillLater, LEVEL_MS)
  fillLater()
  return {
    done: done.promise,
    get outstanding() {
      return caller.outstanding
    },
    spanMs: undefined,
    abort() {
      stopped = true
      caller.abort()
      fill()
    },
  }
}

function wakeIn(ms: number, gap: number, fn: () => void): { cancel(): void } {
  if (ms <= 0 || (ms < TIMER_MS && gap >= SPARSE_MS)) {
    const immediate = setImmediate(fn)
    return { cancel: () => clearImmediate(immediate) }
  }
  const early = gap >= SPARSE_MS ? TIMER_MS - 1 : 0
  const timer = setTimeout(fn, Math.max(1, Math.floor(ms - early)))
  return { cancel: () => clearTimeout(timer) }
}
