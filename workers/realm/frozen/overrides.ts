import { defineProperty, freeze } from '../intrinsics.ts'

/** How a shared property reads, for whoever inherits it. */
export interface Override {
  read(this: unknown): unknown
  readonly enumerable: boolean
}

/**
 * Defines a property that objects which inherit it can assign to, as they could before it was
 * frozen: the assignment gives them one of their own. On `target` itself it throws a TypeError.
 */
export function defineOverride(target: object, key: PropertyKey, given: Override): void {
  const { read, enumerable } = given
  const accessors = {
    get: read,
    set(this: unknown, value: unknown): void {
      if (this === target || !isObject(this) || !assign(this, key, value)) {
        throw new TypeError(`Cannot assign to read only property '${String(key)}'`)
      }
    },
  }
  freeze(accessors.set)
  freeze(accessors.get)
  defineProperty(target, key, {
    __proto__: null,
    get: accessors.get,
    set: accessors.set,
    enumerable,
    configurable: false,
  } as PropertyDescriptor)
}

/** The same for a property whose value never changes. */
export function defineFixedOverride(
  target: object,
  key: PropertyKey,
  { value, enumerable = false }: PropertyDescriptor,
): void {
  const fixed = { get: (): unknown => value as unknown }
  defineProperty(fixed.get, 'originalValue', { value })
  defineOverride(target, key, { read: fixed.get, enumerable })
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function assign(target: object, key: PropertyKey, value: unknown): boolean {
  return defineProperty(target, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor)
}
