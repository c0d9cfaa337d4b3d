import { getOwnPropertyDescriptor, ownKeys } from '../intrinsics.ts'
import { defineFixedOverride, defineOverride } from './overrides.ts'

/**
 * What each call's own `globalThis` inherits: every property of the real global object, which stays
 * out of reach; itself where that names itself; and, by name, what `ownOf` says the call has for itself.
 */
export function createFacadePrototype(
  global: object,
  ownOf: ReadonlyMap<PropertyKey, () => object>,
): object {
  const prototype = {}
  const keys = ownKeys(global)
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string | symbol
    const found = getOwnPropertyDescriptor(global, key) as PropertyDescriptor
    const { enumerable = false } = found
    const own = ownOf.get(key)
    if (key === 'globalThis' || key === 'global') {
      const accessors = {
        get(this: unknown): unknown {
          return this
        },
      }
      defineOverride(prototype, key, { read: accessors.get, enumerable })
    } else if (own !== undefined) {
      const accessors = { get: (): unknown => own() }
      defineOverride(prototype, key, { read: accessors.get, enumerable })
    } else {
      const value = (global as Record<PropertyKey, unknown>)[key]
      defineFixedOverride(prototype, key, { value, enumerable })
    }
  }
  return prototype
}
