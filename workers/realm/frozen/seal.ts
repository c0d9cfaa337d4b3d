import {
  apply,
  deleteProperty,
  freeze,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  ownKeys,
} from '../intrinsics.ts'
import { createIntrinsicSamples } from './intrinsic-samples.ts'
import { defineFixedOverride } from './overrides.ts'
import { describeWay, findReachable, findShared, isPrototype, type Reachable } from './reachable.ts'

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

/** What objects inherit that can be changed although they are frozen. */
const CHANGEABLE: readonly unknown[] = [
  ...[Map, Set, WeakMap, WeakSet, WeakRef, Date, ArrayBuffer, DataView, Promise].map(
    ({ prototype }) => prototype as unknown,
  ),
  getPrototypeOf(Uint8Array.prototype),
  getPrototypeOf((function* () {})()),
]
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
  return findReachable({ globalThis, ...toRoots('sample', createIntrinsicSamples()) })
}

/**
 * Freezes everything that tool code can reach without having made it, and takes away what keeps
 * state where freezing does not help. Throws an Error naming what it could not freeze.
 */
export function sealRealm(parts: SealParts): void {
  removeHiddenState()
  const fixed = {
    globalThis: parts.global,
    ...parts.modules,
    ...toRoots('inherited', parts.inherited),
  }
  const shared = findShared(() => ({
    ...fixed,
    ...toRoots('sample', [...createIntrinsicSamples(), ...parts.samples()]),
  }))
  for (const [owner, names] of ASSIGNED) openNames(owner, names)
  for (const object of shared.keys()) {
    if (!parts.language.has(object)) openLibrary(object, parts.inherited.includes(object))
  }
  for (const object of shared.keys()) freeze(object)
  const reachable = findReachable(fixed)
  for (const found of [shared, reachable]) {
    for (const object of found.keys()) {
      const fault = findFault(object)
      if (fault !== undefined) throw new Error(`${describeWay(found, object)} ${fault}`)
    }
  }
}

function toRoots(name: string, values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value, at) => [`${name} ${at}`, value]))
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
    if (found === undefined || NOT_INHERITED.has(key)) continue
    if (!prototype && found.set !== undefined && found.configurable !== true)
      throw new Error(`${String(key)} can be set for all calls`)
    if (found.configurable !== true) continue
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

function findFault(object: object): string | undefined {
  if (!Object.isFrozen(object)) return 'cannot be frozen'
  for (let link = getPrototypeOf(object); link !== null; link = getPrototypeOf(link)) {
    if (CHANGEABLE.includes(link) && !isPrototype(object)) return 'can be changed although frozen'
  }
  return undefined
}
