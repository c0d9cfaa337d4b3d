import { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } from '../intrinsics.ts'

/** How an object was reached: by which key of what. */
interface Step {
  readonly from: object | undefined
  readonly key: PropertyKey
}

/** Objects that can be reached, each with the last step to it. */
export type Reachable = ReadonlyMap<object, Step>

/**
 * Every object that properties, accessors and prototypes lead to. Reads what is made on first use,
 * so that it is there afterwards. For the time before any tool code only.
 */
export function findReachable(roots: Readonly<Record<string, unknown>>): Reachable {
  const found = new Map<object, Step>()
  const waiting: object[] = []
  const add: Add = (value, from, key) => {
    if (!isObject(value) || found.has(value)) return
    found.set(value, { from, key })
    waiting.push(value)
  }
  for (const [name, value] of Object.entries(roots)) add(value, undefined, name)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) addEdges(next, add)
  return found
}

/** What two searches have in common: what is made anew each time is not shared by anybody. */
export function findShared(roots: () => Readonly<Record<string, unknown>>): Reachable {
  const first = new Map(findReachable(roots()))
  const second = findReachable(roots())
  for (const object of first.keys()) if (!second.has(object)) first.delete(object)
  return first
}

/** The way to an object, in words. */
export function describeWay(reachable: Reachable, object: object): string {
  const keys: string[] = []
  let step = reachable.get(object)
  while (step !== undefined) {
    keys.unshift(String(step.key))
    step = step.from === undefined ? undefined : reachable.get(step.from)
  }
  return keys.join('.')
}

/** Whether an object is what instances of a constructor inherit from. */
export function isPrototype(value: object): boolean {
  const found = getOwnPropertyDescriptor(value, 'constructor')
  if (found === undefined) return false
  const maker: unknown = found.get === undefined ? found.value : read(found.get, value)
  if (typeof maker !== 'function') return false
  return getOwnPropertyDescriptor(maker, 'prototype')?.value === value
}

type Add = (value: unknown, from: object | undefined, key: PropertyKey) => void

function addEdges(owner: object, add: Add): void {
  add(getPrototypeOf(owner), owner, '[[prototype]]')
  const keys = ownKeys(owner)
  let reads: boolean | undefined
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as PropertyKey
    const descriptor = getOwnPropertyDescriptor(owner, key)
    if (descriptor === undefined) continue
    const { value, get, set } = descriptor
    add(value, owner, key)
    if (get === undefined && set === undefined) continue
    add(get, owner, key)
    add(set, owner, key)
    // The accessors of a prototype are for instances; those of anything else may make something.
    reads ??= !isPrototype(owner)
    if (reads && get !== undefined) add(read(get, owner), owner, key)
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
