import { createAbortClasses } from './abort.ts'
import { atob, btoa } from './base64.ts'
import { createConsole } from './console.ts'
import { DOMException } from './dom-exception.ts'
import { CustomEvent, Event } from './event.ts'
import { EventTarget } from './event-target.ts'
import { createFetch } from './fetch.ts'
import { hardenGlobal } from './hardening.ts'
import { dateNow, defineFunctionName, defineValue, ownKeys } from './intrinsics.ts'
import { defineLibraryGlobals } from './global-table.ts'
import { defineLazy, once } from './lazy.ts'
import { createModules } from './modules.ts'
import { createPerformance } from './performance.ts'
import { createProcess } from './process.ts'
import type { RandomSource } from './lazy/random.ts'
import {
  createTimers,
  queueMicrotask,
  type TimerBase,
  type TimerControl,
  type TimerFunctions,
} from './timers.ts'

/** The only way out of the context. None of its functions is ever handed to tool code. */
export interface RealmEnv {
  /** Takes one formatted line of the console. */
  log(level: string, text: string): void
  /** Asks for `timers.tick()` in about `ms`; a later call replaces an earlier one. */
  armTimer(ms: number): void
  /** Asks for a brokered capability; rejects with an Error that has a `code`. */
  request(capability: string, payload: unknown): Promise<unknown>
  /** Hex, at least 32 random bytes that no other context has seen. */
  readonly seed: string
  readonly env: Readonly<Record<string, string>>
}

/** What the bridge keeps of the realm it installed. */
export interface Realm {
  readonly timers: TimerControl
  /** The exports of an offered Node module, by name with or without `node:`; undefined if not offered. */
  resolveModule(name: string): unknown
  /** A signal that only the returned `abort` can abort. */
  createSignal(): { signal: AbortSignal; abort(reason: unknown): void }
}

/** What differs between a context that serves one call and one that serves many. */
export interface GlobalParts {
  readonly timers: TimerBase
  readonly console: Console
  request(capability: string, payload: unknown): Promise<unknown>
  performance(): Performance
  process(): NodeJS.Process
  random(): RandomSource
}

/**
 * Makes the globals of a fresh context those of a tool: hardens it, defines what is cheap at once
 * and the rest as properties that are made when first read. Call it once, before tool code.
 */
export function installGlobals(global: typeof globalThis, env: RealmEnv): Realm {
  const origin = dateNow()
  const log = (level: string, text: string): void => env.log(level, text)
  const timers = createTimers((ms) => env.armTimer(ms))
  const made = defineGlobals(global, {
    timers,
    console: createConsole(log),
    request: (capability, payload) => env.request(capability, payload),
    performance: () => createPerformance(origin),
    process: () => createProcess({ env: env.env, origin: () => origin, log }),
    random: () => randomness().createRandomSource(env.seed),
  })
  return { timers: timers.control, ...made }
}

/** The same for a context whose parts the caller has made. */
export function defineGlobals(
  global: typeof globalThis,
  parts: GlobalParts,
): Omit<Realm, 'timers'> {
  const { timers } = parts
  const request = (capability: string, payload: unknown) => parts.request(capability, payload)
  hardenGlobal(global)
  const abort = createAbortClasses(timers.after)
  const lazy = defineLibraryGlobals(global)
  const timersPromises = once(() => createTimersPromises(timers.functions))
  const crypto = once(() => createCryptos(parts.random()))
  defineAll(global, {
    ...timers.functions,
    queueMicrotask,
    console: parts.console,
    fetch: createFetch({ request, signals: abort.access, ...lazy }),
    global,
    Event,
    EventTarget,
    CustomEvent,
    DOMException,
    AbortController: abort.AbortController,
    AbortSignal: abort.AbortSignal,
    atob,
    btoa,
  })
  defineLazy(global, 'performance', parts.performance)
  defineLazy(global, 'process', parts.process)
  defineLazy(global, 'crypto', () => crypto().web)
  definePromisified(timers.functions, timersPromises)
  return {
    resolveModule: createModules({
      global,
      timers: timers.functions,
      timersPromises,
      crypto: () => crypto().node(),
      request,
    }),
    createSignal: abort.createSignal,
  }
}

/** The chunk that makes random bytes; evaluated when it is first asked for. */
export function randomness(): typeof import('./lazy/random.ts') {
  return require('./lazy/random.ts') as typeof import('./lazy/random.ts')
}

function createCryptos(random: RandomSource): { web: object; node: () => unknown } {
  const web = randomness().createWebCrypto(random)
  const node = (): unknown =>
    (require('./lazy/modules/crypto.ts') as typeof import('./lazy/modules/crypto.ts')).createCrypto(
      random,
      web,
    )
  return { web, node }
}

function createTimersPromises(functions: TimerFunctions): Record<string, unknown> {
  const made =
    require('./lazy/modules/timers-promises.ts') as typeof import('./lazy/modules/timers-promises.ts')
  return made.createTimersPromises(functions)
}

/** What `util.promisify(setTimeout)` gives. */
function definePromisified(
  functions: TimerFunctions,
  promises: () => Record<string, unknown>,
): void {
  const custom = Symbol.for('nodejs.util.promisify.custom')
  defineLazy(functions.setTimeout, custom, () => promises()['setTimeout'])
  defineLazy(functions.setImmediate, custom, () => promises()['setImmediate'])
}

function defineAll(global: object, values: Readonly<Record<string, unknown>>): void {
  const names = ownKeys(values)
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string
    const value = values[name]
    // Identifiers do not survive into the built script, the names of functions must.
    if (typeof value === 'function' && value.name !== name) defineFunctionName(value, name)
    defineValue(global, name, value)
  }
}
