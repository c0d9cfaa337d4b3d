// Evaluated once in the one context of an isolate that serves many calls, each in a scope of its own.
import { findLanguage, sealRealm } from '../realm/frozen/seal.ts'
import { installFrozenGlobals, type FrozenRealm } from '../realm/frozen/install.ts'
import { createLibrarySamples, evaluateAll } from '../realm/frozen/library-samples.ts'
import { MODULE_NAMES } from '../realm/module-names.ts'
import { VIRTUAL_MODULES } from '../shared/virtual/names.ts'
import { findAtOnce, type FindSchemas } from '../shared/virtual/define-known.ts'
import { createVirtualModules } from '../shared/virtual/index.ts'
import { createFrozenCalls, type BundleSetting, type ScopeFunction } from './frozen-calls.ts'
import { createExecSample, createPluginSamples } from './frozen-samples.ts'
import type { Printer } from './exec.ts'

const { parse } = JSON
const inside = globalThis as unknown as Record<string, unknown>
const send = take('__caisson_send') as (text: string) => void
const seed = take('__caisson_seed') as string
const language = findLanguage()
const realm: FrozenRealm = installFrozenGlobals(globalThis, seed)
let find: FindSchemas = () => undefined
const virtual: (name: string) => unknown = createVirtualModules(
  {
    // It counts its instances, for whoever made them.
    schemastery: () => {
      throw new Error('schemastery keeps state between calls')
    },
  },
  (name) => find(name),
)
const { debug, info, warn, error } = globalThis.console
const printer: Printer = { debug, info, warn, error }
const calls = createFrozenCalls({ realm, virtual, send, printer })
const plugins: unknown[][] = createPluginSamples()

Object.defineProperty(inside, '__caisson_dispatch', {
  configurable: true,
  value: (text: string, scope?: ScopeFunction) => {
    if (scope === undefined) return calls.dispatch(text)
    const setting = parse(text) as BundleSetting
    find = findAtOnce(setting.boot.schemas ?? {})
    calls.use(scope, setting)
  },
})
Object.defineProperty(inside, '__caisson_seal', { configurable: true, value: seal })

/** Taken away by the runner as soon as it has been called. */
function seal(): void {
  delete inside['__caisson_dispatch']
  delete inside['__caisson_seal']
  const require = (name: string): unknown => virtual(name) ?? realm.resolveModule(name)
  const names = [...MODULE_NAMES, ...VIRTUAL_MODULES.filter((name) => !/schemastery/.test(name))]
  evaluateAll(require)
  const modules = Object.fromEntries(names.map((name) => [name, require(name)]))
  takeSettings(modules['stream'] as object, ['setDefaultHighWaterMark'])
  sealRealm({
    global: globalThis,
    language,
    modules,
    samples: () => {
      // In turn, so that what a search finds in both is what both plugins were given.
      plugins.reverse()
      return [
        ...createLibrarySamples(require),
        createExecSample(realm, printer),
        ...(plugins[0] ?? []),
      ]
    },
    ...realm.complete(),
  })
}

/** Functions that change something for whoever comes next refuse to. */
function takeSettings(module: object, names: readonly string[]): void {
  for (const name of names) {
    const refuse = {
      [name](): never {
        throw new Error(`${name}() would change what calls share`)
      },
    }
    Object.defineProperty(module, name, { value: refuse[name] })
  }
}

function take(name: string): unknown {
  const value = inside[name]
  delete inside[name]
  return value
}
