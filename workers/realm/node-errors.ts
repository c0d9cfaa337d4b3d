import { defineValue, getPrototypeOf, ownConstructor, stringSlice } from './intrinsics.ts'

/** An error with a Node `code`; `name` and message read as Node's do. */
export function withCode<E extends Error>(error: E, code: string): E & { code: string } {
  defineValue(error, 'code', code, true)
  return error as E & { code: string }
}

/** Node's ERR_INVALID_ARG_TYPE: `expected` is like "of type string". */
export function invalidArgument(name: string, expected: string, actual: unknown): TypeError {
  return withCode(
    new TypeError(`The "${name}" argument must be ${expected}. Received ${toReceived(actual)}`),
    'ERR_INVALID_ARG_TYPE',
  )
}

/** Node's words for a value that was not wanted. */
function toReceived(value: unknown): string {
  if (value === null || value === undefined) return `${value as null}`
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value === 'object') {
    const name = constructorName(value)
    return name === undefined ? 'an object' : `an instance of ${name}`
  }
  if (typeof value === 'symbol') return 'type symbol'
  const text = typeof value === 'string' ? `'${value}'` : `${value as number}`
  const shown = text.length > 28 ? `${stringSlice(text, 0, 25)}...` : text
  return `type ${typeof value} (${shown}${typeof value === 'bigint' ? 'n' : ''})`
}

function constructorName(value: object): string | undefined {
  try {
    const maker: unknown = ownConstructor(getPrototypeOf(value) ?? {})
    return typeof maker === 'function' && maker.name !== '' ? maker.name : undefined
  } catch {
    return undefined
  }
}
