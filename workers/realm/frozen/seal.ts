import { toBrand, isPromise, toTypedArrayName } from '../brands.ts'
import { apply, deleteProperty, freeze, getOwnPropertyDescriptor, ownKeys } from '../intrinsics.ts'
import { createIntrinsicSamples } from './intrinsic-samples.ts'
import { defineFixedOverride } from './overrides.ts'
import { findShared, isPrototype, type Reachable } from './reachable.ts'

/** What a realm consists of besides the language. */
export interface SealParts {
  readonly global: typeof globalThis
  /** Everything of the language, found before anything was added to it. */
  readonly language: Reachable
  readonly modules: Readonly<Record<string, unknown>>
  /** Objects that calls have objects of their own inherit from. */
  readonly inherited: readonly object[]
  /** Makes instances of everything the realm offers; asked again and again. */
  samples(): readonly unknown[]
}

/** Brands of values that cannot be changed once they are frozen. */
const FIXED = new Set(['RegExp', 'Number', 'String', 'Boolean', 'Symbol', 'BigInt'])
const NOT_INHERITED = new Set<PropertyKey>(['prototype', 'length', 'name', 'arguments', 'caller'])
/** Names that ordinary code assigns to objects which inherit them from the language. */
const ASSIGNED: readonly [owner: object, names: readonly PropertyKey[] | 'all'][] = [
  [Object.prototype, 'all'],
  [Function.prototype, ['constructor', 'toString']],
  [Array.prototype, ['toString', 'toLocaleString']],
  ...[Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map(
    ({ prototype }) => [prototype, 'all'] as const satisfies [object, 'all'],
  ),
  [AggregateError.prototype, 'all'],
]
const REGEXP_STATICS = /^(\$[1-9_&+`']|input|lastMatch|lastParen|leftContext|rightContext)$/

/** Everything of the language in this context; to be called before anything is installed. */
export function findLanguage(): Reachable {
  return findShared(() => ({ globalThis, ...toRoots(createIntrinsicSamples()) }))
}

/**
 * Freezes everything that tool code can reach without having made it, and takes away what keeps
 * state where freezing does not help. Throws an Error naming what it could not freeze.
 */
export function sealRealm(parts: SealParts): void {
  removeHiddenState()
  const shared = (): Reachable =>
    findShared(() => ({
      globalThis: parts.global,
      ...parts.modules,
      ...toRoots([...parts.inherited, ...createIntrinsicSamples(), ...parts.samples()]),
    }))
  const before = shared()
  for (const [owner, names] of ASSIGNED) openNames(owner, names)
  for (const object of before.keys()) {
    if (!parts.language.has(object)) openLibrary(object, parts.inherited.includes(object))
  }
  for (const object of before.keys()) freeze(object)
  for (const [object, path] of shared()) check(object, path)
}

function toRoots(values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value, at) => [`sample ${at}`, value]))
}

// The engine keeps what matched last for the whole context, and a regular expression's pattern where
// freezing does not reach it.
function removeHiddenState(): void {
  for (const name of ownKeys(RegExp)) {
    if (REGEXP_STATICS.test(String(name))) deleteProperty(RegExp, name)
  }
  deleteProperty(RegExp.prototype, 'compile')
}

function openNames(owner: object, names: readonly PropertyKey[] | 'all'): void {
  for (const name of names === 'all' ? ownKeys(owner) : names) {
    const found = getOwnPropertyDescriptor(owner, name)
    if (found !== undefined && 'value' in found) defineFixedOverride(owner, name, found)
  }
}

// Of a library's own class anything may be assigned to an instance; a setter of anything else would
// be a way to change what all calls share.
function openLibrary(object: object, isInherited: boolean): void {
  const prototype = isInherited || isPrototype(object)
  const opened = prototype || isConstructor(object)
  for (const key of ownKeys(object)) {
    const found = getOwnPropertyDescriptor(object, key)
    if (found?.configurable !== true || NOT_INHERITED.has(key)) continue
    if ('value' in found) {
      if (opened && found.writable === true) defineFixedOverride(object, key, found)
    } else if (!prototype && found.set !== undefined) {
      const value: unknown = found.get === undefined ? undefined : apply(found.get, object, [])
      defineFixedOverride(object, key, { value, enumerable: found.enumerable ?? false })
    }
  }
}

function isConstructor(object: object): boolean {
  if (typeof object !== 'function') return false
  const prototype: unknown = getOwnPropertyDescriptor(object, 'prototype')?.value
  return typeof prototype === 'object' && prototype !== null && isPrototype(prototype)
}

function check(object: object, path: string): void {
  if (!Object.isFrozen(object)) throw new Error(`${path} cannot be frozen`)
  if (isPrototype(object)) return
  const brand = toTypedArrayName(object) ?? toBrand(object)
  if (brand !== undefined && !FIXED.has(brand)) throw new Error(`${path} is a shared ${brand}`)
  if (isPromise(object)) throw new Error(`${path} is a shared promise`)
}
