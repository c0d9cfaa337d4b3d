// Captured before tool code runs: everything that must go on working after tool code has replaced
// or booby-trapped the originals uses these and plain syntax, nothing looked up on a prototype.

/** The reflection functions of this context as they were before tool code. */
export const {
  apply,
  defineProperty,
  deleteProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  has,
  ownKeys,
  setPrototypeOf,
}: typeof Reflect = Reflect

/** Turns a method into a function of its receiver that no later change to a prototype reaches. */
export function uncurry<This, Args extends unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
): (self: This, ...args: Args) => Result {
  return (self, ...args) => apply(method as never, self, args) as Result
}

/** The getter of a prototype as a function of its receiver. */
export function uncurryGetter<Result>(
  prototype: object,
  key: PropertyKey,
): (self: unknown) => Result {
  const getter = getOwnPropertyDescriptor(prototype, key)?.get
  if (getter === undefined) throw new TypeError(`no getter ${String(key)}`)
  return (self) => apply(getter, self, []) as Result
}

/** An array without a prototype: `list[list.length] = x` can meet no setter of tool code. */
export function createList<T>(): T[] {
  const list: T[] = []
  setPrototypeOf(list, null)
  return list
}

/** Defines an own data property without reading a descriptor through `Object.prototype`. */
export function defineValue(
  target: object,
  key: PropertyKey,
  value: unknown,
  enumerable: boolean = false,
): void {
  defineProperty(target, key, {
    __proto__: null,
    value,
    enumerable,
    writable: true,
    configurable: true,
  } as PropertyDescriptor)
}

/** Gives a prototype its `Symbol.toStringTag`. */
export function defineTag(prototype: object, tag: string): void {
  defineProperty(prototype, toStringTag, {
    __proto__: null,
    value: tag,
    configurable: true,
  } as PropertyDescriptor)
}

/** Names a class and tags its prototype: identifiers do not survive into the built script. */
export function defineClassName(made: { prototype: object }, name: string): void {
  defineFunctionName(made, name)
  defineTag(made.prototype, name)
}

/** Sets the `name` of a function. */
export function defineFunctionName(made: object, name: string): void {
  defineProperty(made, 'name', {
    __proto__: null,
    value: name,
    configurable: true,
  } as PropertyDescriptor)
}

/**
 * What an object says its constructor is, without asking code that is not ours: where the property
 * is one that frozen realms share (frozen/overrides.ts), its getter says of itself what it gives.
 */
export function ownConstructor(prototype: object): unknown {
  const found = getOwnPropertyDescriptor(prototype, 'constructor')
  if (found?.get === undefined) return found?.value
  return getOwnPropertyDescriptor(found.get, 'originalValue')?.value
}

/** Reports an exception nobody can catch: it surfaces as an unhandled rejection of the context. */
export function reportUncaught(error: unknown): void {
  void (async () => {
    throw error
  })()
}

/** Runs `task` as a microtask through the engine's own await, never through a patched `then`. */
export async function enqueueMicrotask(task: () => void): Promise<void> {
  await undefined
  task()
}

const toStringTag: typeof Symbol.toStringTag = Symbol.toStringTag
export const toPrimitive: typeof Symbol.toPrimitive = Symbol.toPrimitive
export const dispose: typeof Symbol.dispose = Symbol.dispose
export const toBigInt: (value: number) => bigint = BigInt
export const NativeWeakMap: WeakMapConstructor = WeakMap
export const dateNow: () => number = Date.now
export const isArray: (value: unknown) => value is unknown[] = Array.isArray
export const jsonParse: (text: string) => unknown = JSON.parse
export const jsonStringify: (value: unknown) => string | undefined = JSON.stringify
export const charCodeAt: (self: string, index: number) => number = uncurry(
  String.prototype.charCodeAt,
)
export const stringSlice: (self: string, from?: number, to?: number) => string = uncurry(
  String.prototype.slice,
)
export const toLowerCase: (self: string) => string = uncurry(String.prototype.toLowerCase)
export const toUpperCase: (self: string) => string = uncurry(String.prototype.toUpperCase)
export const fromCharCode: (code: number) => string = String.fromCharCode
export const numberToString: (self: number, radix?: number) => string = uncurry(
  Number.prototype.toString,
)
export const mathTrunc: (value: number) => number = Math.trunc
export const NativePromise: PromiseConstructor = Promise
export const parseFloat: (text: string) => number = globalThis.parseFloat
export const parseInt: (text: string) => number = globalThis.parseInt
export const decodeURIComponent: (text: string) => string = globalThis.decodeURIComponent
export const freeze: <T>(target: T) => T = Object.freeze
export const hasOwn: (target: object, key: PropertyKey) => boolean = Object.hasOwn

const Bytes = Uint8Array
const isView = ArrayBuffer.isView
const bufferLength = uncurryGetter<number>(ArrayBuffer.prototype, 'byteLength')
const typedArrays = getPrototypeOf(Uint8Array.prototype) as object
const viewBuffer = uncurryGetter<ArrayBuffer>(typedArrays, 'buffer')
const viewOffset = uncurryGetter<number>(typedArrays, 'byteOffset')
const viewLength = uncurryGetter<number>(typedArrays, 'byteLength')
const dataBuffer = uncurryGetter<ArrayBuffer>(DataView.prototype, 'buffer')
const dataOffset = uncurryGetter<number>(DataView.prototype, 'byteOffset')
const dataLength = uncurryGetter<number>(DataView.prototype, 'byteLength')
const typedArrayTag = uncurryGetter<string | undefined>(typedArrays, Symbol.toStringTag)

/** Zeroed bytes of the engine's own class. */
export function createBytes(length: number): Uint8Array {
  return new Bytes(length)
}

/** The bytes of an ArrayBuffer, typed array or DataView; undefined for anything else. */
export function toBytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isView(value)) {
    if (typedArrayTag(value) === undefined) {
      return new Bytes(dataBuffer(value), dataOffset(value), dataLength(value))
    }
    return new Bytes(viewBuffer(value), viewOffset(value), viewLength(value))
  }
  try {
    bufferLength(value)
  } catch {
    return undefined
  }
  return new Bytes(value as ArrayBuffer)
}
