import { createCaller, type LoadSink, type LoadTarget } from './caller.ts'
import type { Drive } from './drive.ts'

export interface ClosedPhase {
  /** Callers at a time, in milliseconds from the beginning. */
  level(at: number): number
  readonly durationMs: number | undefined
  readonly requests: number | undefined
}

/** Calls that settle at once give way to the rest of the process this often: to I/O, and to timers. */
const TURN_MS = 5
const TIMER_TURN_MS = 40
const LEVEL_MS = 20

/** Keeps as many callers busy as the level says; each starts its next call when its last has settled. */
export function driveClosed(target: LoadTarget, sink: LoadSink, phase: ClosedPhase): Drive {
  const origin = performance.now()
  const done = Promise.withResolvers<void>()
  const { durationMs = Infinity, requests = Infinity } = phase
  let made = 0
  let stopped = false
  let turn = origin
  let timerTurn = origin
  let coming: { cancel(): void } | undefined
  const isOver = (at: number): boolean => stopped || made >= requests || at >= durationMs
  const caller = createCaller(target, sink, () => {
    const now = performance.now()
    if (now - turn < TURN_MS) fill()
    // Immediates that microtasks ask for may follow one another without a turn of the timers.
    else coming ??= later(fillLater, now - timerTurn < TIMER_TURN_MS)
  })
  const fillLater = (): void => {
    coming = undefined
    turn = performance.now()
    fill()
  }
  const fillTimed = (): void => {
    timerTurn = performance.now()
    coming?.cancel()
    fillLater()
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
  const timer = setInterval(fillTimed, LEVEL_MS)
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

function later(fn: () => void, soon: boolean): { cancel(): void } {
  if (soon) {
    const immediate = setImmediate(fn)
    return { cancel: () => clearImmediate(immediate) }
  }
  const timer = setTimeout(fn, 1)
  return { cancel: () => clearTimeout(timer) }
}
