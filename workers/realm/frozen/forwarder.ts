import {
  apply,
  defineFunctionName,
  defineProperty,
  defineValue,
  getOwnPropertyDescriptor,
  ownKeys,
} from '../intrinsics.ts'

type Callable = (...args: never[]) => unknown

/**
 * An object with the keys of `sample`, whose functions and values are those of whatever `target`
 * answers at the time they are used. It holds no state of its own.
 */
export function createForwarder(sample: object, target: () => object): object {
  const forwarder = {}
  const keys = ownKeys(sample)
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string | symbol
    const found = getOwnPropertyDescriptor(sample, key) as PropertyDescriptor
    const read = (): unknown => (target() as Record<PropertyKey, unknown>)[key]
    if (typeof found.value === 'function') {
      defineValue(forwarder, key, forwardCalls(key, read as () => Callable), found.enumerable)
    } else if (typeof key === 'symbol') {
      defineProperty(forwarder, key, found)
    } else {
      const accessor = { get: (): unknown => read() }
      defineProperty(forwarder, key, { ...accessor, enumerable: true, configurable: true })
    }
  }
  return forwarder
}

function forwardCalls(key: PropertyKey, read: () => Callable): Callable {
  // A concise method: it has no `prototype` and is no constructor.
  const made = {
    forward: (...args: unknown[]): unknown => apply(read(), undefined, args as never[]),
  }
  if (typeof key === 'string') defineFunctionName(made.forward, key)
  return made.forward
}
