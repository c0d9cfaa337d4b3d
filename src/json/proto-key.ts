/**
 * The path of the first own key `__proto__` in plain data; undefined for none. Validators do not see
 * such a key, or lose it on their way, so that nobody would be told that it does nothing.
 */
export function findProtoKey(value: unknown): string | undefined {
  return find(value, [], new Set())?.join('.')
}

function find(
  value: unknown,
  path: readonly string[],
  seen: Set<object>,
): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined
  seen.add(value)
  if (Object.hasOwn(value, '__proto__')) return [...path, '__proto__']
  for (const [key, item] of Object.entries(value)) {
    const found = find(item, [...path, key], seen)
    if (found !== undefined) return found
  }
  return undefined
}
