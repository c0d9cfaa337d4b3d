import { createConsole } from '../console.ts'
import { defineGlobals, randomness, type Realm } from '../globals.ts'
import { defineValue, stringSlice } from '../intrinsics.ts'
import { createPerformance } from '../performance.ts'
import { createProcess } from '../process.ts'
import { createTimerBase } from '../timers.ts'
import { createFacadePrototype } from './facade.ts'
import { createForwarder } from './forwarder.ts'
import { createLiveKeeper, LiveCall, type CallExit } from './live-call.ts'
import { defineOverride } from './overrides.ts'

/** A realm whose globals are shared by all of its calls, and hold nothing of any of them. */
export interface FrozenRealm {
  readonly createSignal: Realm['createSignal']
  /** What `require` gives to the live call; undefined for a module that is not offered. */
  resolveModule(name: string): unknown
  /** Makes a call the live one: from now on what is shared acts for it and for no other. */
  begin(exit: CallExit): LiveCall
  /** What stands in the live call's scope under a name of `SCOPE_NAMES` (scope-names.ts). */
  ownOf(name: string): object | undefined
  /** Prepares the rest; to be called before anything is frozen. Answers what calls inherit from. */
  complete(): { readonly inherited: readonly object[] }
}

const NOTHING: CallExit = {
  log: () => undefined,
  armTimer: () => undefined,
  request: () => Promise.reject(new Error('no call is live')),
  timersUsed: () => undefined,
  env: {},
}

/** Installs the globals in the context; `seed` is hex, of 32 random bytes. They are not frozen yet. */
export function installFrozenGlobals(global: typeof globalThis, seed: string): FrozenRealm {
  const master = randomness().createRandomSource(seed)
  const draw = (): Uint8Array => master.bytes(32)
  let live = new LiveCall(NOTHING, draw)
  const log = (level: string, text: string): void => live.exit.log(level, text)
  const shared = {
    console: createForwarder(createConsole(log), () => live.console) as Console,
    performance: createForwarder(createPerformance(0), () => live.performance) as Performance,
    process: createProcess({ env: {}, origin: () => live.origin, log }),
  }
  const dice = { random: (): number => live.dice() }
  defineValue(Math, 'random', dice.random)
  const made = defineGlobals(global, {
    timers: createTimerBase(createLiveKeeper(() => live)),
    console: shared.console,
    request: (capability, payload) => live.exit.request(capability, payload),
    performance: () => shared.performance,
    process: () => shared.process,
    random: () => ({ bytes: (length) => live.random.bytes(length) }),
  })
  let facades: object = {}
  const owned = new Map<string, () => object>([
    ['globalThis', () => live.view('globalThis', facades)],
    ['global', () => live.view('globalThis', facades)],
    ['console', () => live.view('console', shared.console)],
    ['process', () => live.view('process', shared.process)],
    ['performance', () => live.view('performance', shared.performance)],
  ])
  const ownOf = (name: string): object | undefined => owned.get(name)?.()
  return {
    createSignal: made.createSignal,
    resolveModule(given) {
      const name = stringSlice(given, 0, 5) === 'node:' ? stringSlice(given, 5) : given
      if (name === 'console' || name === 'process') return ownOf(name)
      if (name === 'perf_hooks') return { performance: ownOf('performance') }
      return made.resolveModule(name)
    },
    begin: (exit) => (live = new LiveCall(exit, draw)),
    ownOf,
    complete() {
      defineOverride(shared.process, 'env', { read: () => live.env, enumerable: true })
      facades = createFacadePrototype(global, owned)
      return { inherited: [facades, shared.console, shared.performance, shared.process] }
    },
  }
}
