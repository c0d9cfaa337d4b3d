import { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } from '../intrinsics.ts'

/** Objects that can be reached, each with the way to it in words. */
export type Reachable = ReadonlyMap<object, string>

/**
 * Every object that properties, accessors and prototypes lead to. Reads what is made on first use,
 * so that it is there afterwards. For the time before any tool code only.
 */
export function findReachable(roots: Readonly<Record<string, unknown>>): Reachable {
  const found = new Map<object, string>()
  const waiting: [value: object, path: string][] = []
  const add: Add = (value, path) => {
    if (!isObject(value) || found.has(value)) return
    found.set(value, path)
    waiting.push([value, path])
  }
  for (const [name, value] of Object.entries(roots)) add(value, name)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) addEdges(next, add)
  return found
}

/** What two searches have in common: what is made anew each time is not shared by anybody. */
export function findShared(roots: () => Readonly<Record<string, unknown>>): Reachable {
  const first = findReachable(roots())
  const second = findReachable(roots())
  return new Map([...first].filter(([object]) => second.has(object)))
}

/** Whether an object is what instances of a constructor inherit from. */
export function isPrototype(value: object): boolean {
  const found = getOwnPropertyDescriptor(value, 'constructor')
  const maker: unknown = found?.get === undefined ? found?.value : read(found.get, value)
  if (typeof maker !== 'function') return false
  return getOwnPropertyDescriptor(maker, 'prototype')?.value === value
}

type Add = (value: unknown, path: string) => void

function addEdges([owner, path]: [object, string], add: Add): void {
  add(getPrototypeOf(owner), `${path}.[[prototype]]`)
  const reads = !isPrototype(owner)
  for (const key of ownKeys(owner)) {
    const at = `${path}.${String(key)}`
    const descriptor = getOwnPropertyDescriptor(owner, key)
    if (descriptor === undefined) continue
    add(descriptor.value, at)
    add(descriptor.get, `${at} (getter)`)
    add(descriptor.set, `${at} (setter)`)
    // The accessors of a prototype are for instances; those of anything else may make something.
    if (reads && descriptor.get !== undefined) add(read(descriptor.get, owner), at)
  }
}

function read(getter: () => unknown, owner: object): unknown {
  try {
    return apply(getter as never, owner, [])
  } catch {
    return undefined // A getter for instances only.
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}
