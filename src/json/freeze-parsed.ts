import type { JsonValue } from '../types/json.ts'
import { countPart, startMeter, type ByteMeter } from './bytes.ts'
import { DEFAULT_JSON_LIMITS } from './limits.ts'
import { tryMaterializeJson, type Materialized } from './materialize.ts'

/**
 * Freezes deeply what `JSON.parse` has just made and nobody else holds, under the default limits; by
 * the rules and with the faults of `materializeJson`, but without a copy.
 */
export function freezeParsed(value: unknown, where: string): Materialized {
  const count: Count = { nodes: 0, meter: startMeter(DEFAULT_JSON_LIMITS.bytes) }
  if (freeze(value, 0, count)) return { kind: 'value', value: value as JsonValue }
  // The walk that copies also finds the words for what is wrong.
  return tryMaterializeJson(value, { where, freeze: true })
}

interface Count {
  nodes: number
  readonly meter: ByteMeter
}

/** What punctuation and literals take at most for one value: `false` and a comma. */
const AROUND = 6

/** False for a number that is not lossless and for whatever is over a limit, or nearly so. */
function freeze(value: unknown, depth: number, count: Count): boolean {
  count.nodes += 1
  count.meter.exact += AROUND
  if (count.nodes > DEFAULT_JSON_LIMITS.nodes) return false
  switch (typeof value) {
    case 'string':
      return countPart(count.meter, value)
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) && countPart(count.meter, value)
    case 'boolean':
      return true
    case 'object':
      if (value === null) return true
      if (depth === DEFAULT_JSON_LIMITS.depth) return false
      return freezeInside(value, depth + 1, count)
    default:
      return false
  }
}

function freezeInside(value: object, depth: number, count: Count): boolean {
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) if (!freeze(item, depth, count)) return false
  } else {
    const record = value as Readonly<Record<string, unknown>>
    for (const key of Object.keys(record)) {
      if (!countPart(count.meter, key) || !freeze(record[key], depth, count)) return false
    }
  }
  Object.freeze(value)
  return true
}
