import type { JsonValue } from '../../../types/json.ts'

export type JsonRecord = { readonly [key: string]: JsonValue }

/** A record of arguments, or undefined for anything else. */
export function toRecord(value: JsonValue | undefined): JsonRecord | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as JsonRecord
}

/** An own field; nothing is inherited. */
export function fieldOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  const record = toRecord(value)
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}

/**
 * The values at `a.b` or `list[].b`. An entry of a list without the field gives undefined; a list that
 * is not there or empty gives nothing.
 */
export function valuesAt(value: JsonValue, path: string): readonly (JsonValue | undefined)[] {
  let found: readonly (JsonValue | undefined)[] = [value]
  for (const step of path.split('.')) {
    const list = step.endsWith('[]')
    const key = list ? step.slice(0, -2) : step
    const values = found.map((one) => fieldOf(one, key))
    found = list
      ? values.flatMap((one): readonly (JsonValue | undefined)[] => (Array.isArray(one) ? one : []))
      : values
  }
  return found
}

/** Every text at any depth, with the key it is the value of. At most `limit`; undefined when there are more. */
export function textsOf(
  value: JsonValue,
  limit: number,
): readonly { readonly key: string; readonly text: string }[] | undefined {
  const texts: { readonly key: string; readonly text: string }[] = []
  const pending: { readonly key: string; readonly value: JsonValue | undefined }[] = [
    { key: '', value },
  ]
  let seen = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    seen += 1
    if (seen > limit) return undefined
    const { key, value: current } = next
    if (typeof current === 'string') texts.push({ key, text: current })
    else if (Array.isArray(current))
      for (let at = current.length - 1; at >= 0; at -= 1) pending.push({ key, value: current[at] })
    else if (typeof current === 'object' && current !== null) {
      const names = Object.keys(current)
      for (const name of names.reverse()) pending.push({ key: name, value: fieldOf(current, name) })
    }
  }
  return texts
}
