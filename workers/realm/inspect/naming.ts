import {
  getOwnPropertyDescriptor,
  getPrototypeOf,
  ownConstructor,
  stringSlice,
  uncurry,
} from '../intrinsics.ts'

const functionToString = uncurry(Function.prototype.toString)
const TAG: symbol = Symbol.toStringTag

/** What stands before the brace of an object: "Foo ", "[Object: null prototype] ", "Foo [tag] ". */
export function toPrefix(value: object, fallback: string, size: string = ''): string {
  const name = toConstructorName(value)
  const tag = toTag(value)
  const shown = tag === '' || tag === name ? '' : `[${tag}] `
  if (name === undefined) return `[${fallback}${size}: null prototype] ${shown}`
  return `${name}${size} ${shown}`
}

/** The name of the first constructor on the prototype chain, read without calling a getter. */
export function toConstructorName(value: object): string | undefined {
  for (let link: object | null = value; link !== null; link = getPrototypeOf(link)) {
    const maker: unknown = ownConstructor(link)
    if (typeof maker !== 'function') continue
    const name = toOwnName(maker)
    if (name !== '') return name
  }
  return undefined
}

/** "[Function: f]", "[AsyncFunction (anonymous)]", "[class A extends B]". */
export function toFunctionLabel(value: (...args: never[]) => unknown): string {
  const name = toOwnName(value)
  if (stringSlice(functionToString(value), 0, 5) === 'class') return toClassLabel(value, name)
  const kind = toConstructorName(value) ?? 'Function (null prototype)'
  return name === '' ? `[${kind} (anonymous)]` : `[${kind}: ${name}]`
}

function toClassLabel(value: object, name: string): string {
  const parent = getPrototypeOf(value)
  const base = typeof parent === 'function' ? toOwnName(parent) : ''
  const label = name === '' ? 'class (anonymous)' : `class ${name}`
  if (parent === null) return `[${label} extends null]`
  return base === '' ? `[${label}]` : `[${label} extends ${base}]`
}

function toOwnName(value: object): string {
  const name: unknown = getOwnPropertyDescriptor(value, 'name')?.value
  return typeof name === 'string' ? name : ''
}

function toTag(value: object): string {
  const tag: unknown = (value as Record<symbol, unknown>)[TAG]
  return typeof tag === 'string' ? tag : ''
}
