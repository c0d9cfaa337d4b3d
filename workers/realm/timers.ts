import { apply, enqueueMicrotask } from './intrinsics.ts'
import { once } from './lazy.ts'
import { invalidArgument } from './node-errors.ts'
import { createTimerHandles, type TimeoutHandle } from './timer-handles.ts'
import { toDelay } from './timer-queue.ts'
import { TimerScheduler, type TimerMode } from './timer-scheduler.ts'

/**
 * What the bridge drives. `virtual` (the start): only `advance` fires timers, on a clock of its own.
 * `frozen`: nothing fires. `live`: real milliseconds through `armTimer` and `tick`.
 */
export interface TimerControl {
  tick(): void
  clear(): void
  setMode(mode: TimerMode): void
  /** Fires the earliest timer due within `horizonMs` of the virtual clock's start; false if none is. */
  advance(horizonMs: number): boolean
}

/** The functions of `node:timers`, and the globals of the same names. */
export interface TimerFunctions {
  setTimeout(callback: unknown, delay?: unknown, ...args: unknown[]): TimeoutHandle
  setInterval(callback: unknown, delay?: unknown, ...args: unknown[]): TimeoutHandle
  setImmediate(callback: unknown, ...args: unknown[]): object
  clearTimeout(timer?: unknown): void
  clearInterval(timer?: unknown): void
  clearImmediate(timer?: unknown): void
}

/** What sets and clears timers. */
export interface TimerBase {
  readonly functions: TimerFunctions
  /** For the realm's own use: runs `fire` after `ms`, returns what cancels it. */
  after(ms: number, fire: () => void): () => void
}

/** The timers of one context. */
export interface Timers extends TimerBase {
  readonly control: TimerControl
}

/** What keeps timers until they are due. */
export type TimerKeeper = Pick<TimerScheduler, 'schedule' | 'cancel' | 'restart' | 'find'>

/** Creates the timers of one context; `arm` asks for a `tick` in that many milliseconds. */
export function createTimers(arm: (ms: number) => void): Timers {
  const scheduler = new TimerScheduler(arm)
  return { control: scheduler, ...createTimerBase(scheduler) }
}

/** The functions that use a keeper of timers. */
export function createTimerBase(scheduler: TimerKeeper): TimerBase {
  return {
    functions: createTimerFunctions(scheduler),
    after(ms, run) {
      const entry = scheduler.schedule(run, { delay: toDelay(ms), repeats: false })
      return () => scheduler.cancel(entry)
    },
  }
}

function createTimerFunctions(scheduler: TimerKeeper): TimerFunctions {
  // Two classes that most calls never need.
  const handles = once(() => createTimerHandles(scheduler))
  const timeout = (
    given: { callback: unknown; delay: unknown; args: unknown[] },
    repeats: boolean,
  ) => {
    const { args } = given
    const callback = toCallback(given.callback)
    // The receiver of a timer callback is its handle, as in Node.
    let handle: TimeoutHandle | undefined
    const run = (): void => void apply(callback, handle, args)
    const entry = scheduler.schedule(run, { delay: toDelay(given.delay), repeats })
    handle = handles().createTimeout(entry)
    return handle
  }
  const clear = (timer: unknown): void => {
    const entry =
      handles().entryOf(timer) ??
      (typeof timer === 'number' || typeof timer === 'string' ? scheduler.find(+timer) : undefined)
    if (entry !== undefined) scheduler.cancel(entry)
  }
  return {
    setTimeout: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
      timeout({ callback, delay, args }, false),
    setInterval: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
      timeout({ callback, delay, args }, true),
    setImmediate: (callback: unknown, ...args: unknown[]) => {
      const checked = toCallback(callback)
      const run = (): void => void apply(checked, undefined, args)
      return handles().createImmediate(scheduler.schedule(run, { delay: 0, repeats: false }))
    },
    clearTimeout: (timer?: unknown) => clear(timer),
    clearInterval: (timer?: unknown) => clear(timer),
    clearImmediate: (timer?: unknown) => clear(timer),
  }
}

/** `queueMicrotask`: what the callback throws is nobody's to catch. */
export function queueMicrotask(callback: unknown): void {
  const checked = toCallback(callback)
  void enqueueMicrotask(() => void apply(checked, undefined, []))
}

function toCallback(callback: unknown): (...args: unknown[]) => unknown {
  if (typeof callback !== 'function')
    throw invalidArgument('callback', 'of type function', callback)
  return callback as (...args: unknown[]) => unknown
}
