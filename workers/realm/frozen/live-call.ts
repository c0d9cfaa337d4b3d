import { createConsole } from '../console.ts'
import { randomness } from '../globals.ts'
import { dateNow, defineValue, ownKeys } from '../intrinsics.ts'
import type { RandomSource } from '../lazy/random.ts'
import { createPerformance } from '../performance.ts'
import { TimerEntry } from '../timer-queue.ts'
import { TimerScheduler, type TimerMode } from '../timer-scheduler.ts'
import type { TimerControl, TimerKeeper } from '../timers.ts'
import { createDice } from './dice.ts'

/** The way out of one call. */
export interface CallExit {
  log(level: string, text: string): void
  armTimer(ms: number): void
  request(capability: string, payload: unknown): Promise<unknown>
  /** Told when the call sets its first timer. */
  timersUsed(): void
  readonly env: Readonly<Record<string, string>>
}

/** What one call of a frozen realm has for itself; each part is made when it is first used. */
export class LiveCall implements TimerControl, TimerKeeper {
  readonly exit: CallExit
  readonly origin: number = dateNow()
  readonly #seed: () => Uint8Array
  readonly #views = { __proto__: null } as unknown as Record<string, object>
  #mode: TimerMode = 'virtual'
  #scheduler: TimerScheduler | undefined
  #console: Console | undefined
  #performance: Performance | undefined
  #random: RandomSource | undefined
  #dice: (() => number) | undefined
  #env: Record<string, string> | undefined

  /** `seed` gives 32 bytes that nobody else has seen. */
  constructor(exit: CallExit, seed: () => Uint8Array) {
    this.exit = exit
    this.#seed = seed
  }

  get console(): Console {
    return (this.#console ??= createConsole((level, text) => this.exit.log(level, text)))
  }

  get performance(): Performance {
    return (this.#performance ??= createPerformance(this.origin))
  }

  get random(): RandomSource {
    return (this.#random ??= randomness().createRandomSource(this.#seed()))
  }

  /** What `Math.random` draws from. */
  get dice(): () => number {
    return (this.#dice ??= createDice(this.#seed()))
  }

  get env(): Record<string, string> {
    return (this.#env ??= copyText(this.exit.env))
  }

  /** An object of the call's own that inherits everything from a shared one. */
  view(name: string, template: object): object {
    return (this.#views[name] ??= createView(template))
  }

  schedule(run: () => void, timing: { delay: number; repeats: boolean }): TimerEntry {
    return this.#timers.schedule(run, timing)
  }

  cancel(entry: TimerEntry): void {
    this.#timers.cancel(entry)
  }

  restart(entry: TimerEntry): void {
    this.#timers.restart(entry)
  }

  find(id: number): TimerEntry | undefined {
    return this.#scheduler?.find(id)
  }

  tick(): void {
    this.#scheduler?.tick()
  }

  clear(): void {
    this.#scheduler?.clear()
  }

  setMode(mode: TimerMode): void {
    this.#mode = mode
    this.#scheduler?.setMode(mode)
  }

  advance(horizonMs: number): boolean {
    return this.#scheduler?.advance(horizonMs) ?? false
  }

  get #timers(): TimerScheduler {
    if (this.#scheduler === undefined) {
      this.#scheduler = new TimerScheduler((ms) => this.exit.armTimer(ms))
      this.#scheduler.setMode(this.#mode)
      this.exit.timersUsed()
    }
    return this.#scheduler
  }
}

/** Timers of whichever call is live; without one they are never set. */
export function createLiveKeeper(live: () => LiveCall | undefined): TimerKeeper {
  return {
    schedule: (run, timing) => live()?.schedule(run, timing) ?? new TimerEntry(0, run, timing),
    cancel: (entry) => live()?.cancel(entry),
    restart: (entry) => live()?.restart(entry),
    find: (id) => live()?.find(id),
  }
}

const createView: (template: object) => object = Object.create

function copyText(from: Readonly<Record<string, string>>): Record<string, string> {
  const copy = {}
  const names = ownKeys(from)
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string
    defineValue(copy, name, from[name], true)
  }
  return copy
}
