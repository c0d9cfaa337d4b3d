import type { JsonValue } from '../../../types/json.ts'
import type { RedactionMode } from '../config/settings.ts'
import {
  isCredentialName,
  MASK,
  maskPrivateKeys,
  NAMED,
  SHAPES,
  type SecretShape,
} from './patterns.ts'

/** A value without its secrets; the same object when there were none. */
export interface Redacted<T> {
  readonly value: T
  /** How many places were masked. */
  readonly count: number
}

const MAX_DEPTH = 64
const BUDGET_MS = 1_000
const TOO_DEEP = '[deeper levels left out]'
const MIN_NAMED = 6
/** No shape is shorter. */
const SHORTEST = 8
const LOOK_EVERY = 64 * 1_024

/**
 * Masks the secrets of plain JSON data: copies what changes and nothing else. Throws when it takes
 * more than a second of work; then nothing of the value may be shown.
 */
export function redactJson<T>(value: T, mode: RedactionMode): Redacted<T> {
  if (mode === 'off') return { value, count: 0 }
  const walk: Walk = {
    shapes: mode === 'full' ? [...SHAPES, ...NAMED] : SHAPES,
    names: mode === 'full',
    begun: process.threadCpuUsage(),
    seen: 0,
    count: 0,
  }
  const masked = redactValue(value as JsonValue, walk, 0)
  return { value: masked as T, count: walk.count }
}

/** A text as journals, questions and models get it. */
export function redactText(text: string): string {
  return redactJson(text, 'full').value
}

interface Walk {
  readonly shapes: readonly SecretShape[]
  readonly names: boolean
  readonly begun: NodeJS.CpuUsage
  /** Characters since the budget was last looked at. */
  seen: number
  count: number
}

function redactValue(value: JsonValue, walk: Walk, depth: number): JsonValue {
  if (typeof value === 'string') return redactString(value, walk)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) {
    walk.count += 1
    return TOO_DEEP
  }
  if (isList(value)) {
    const items = value.map((item) => redactValue(item, walk, depth + 1))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  return redactObject(value, walk, depth)
}

function redactObject(
  value: { readonly [key: string]: JsonValue },
  walk: Walk,
  depth: number,
): JsonValue {
  const fields = Object.entries(value).map(([key, field]): [string, JsonValue] => [
    key,
    walk.names && isNamedSecret(key, field) ? maskField(walk) : redactValue(field, walk, depth + 1),
  ])
  if (fields.every(([key, field]) => field === value[key])) return value
  const copy: Record<string, JsonValue> = {}
  for (const [key, field] of fields) {
    // An own `__proto__` is data and stays data.
    Object.defineProperty(copy, key, {
      value: field,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return copy
}

function isNamedSecret(key: string, field: JsonValue): boolean {
  return (
    typeof field === 'string' &&
    field.length >= MIN_NAMED &&
    field !== MASK &&
    isCredentialName(key)
  )
}

function maskField(walk: Walk): string {
  walk.count += 1
  return MASK
}

function redactString(text: string, walk: Walk): string {
  if (text.length < SHORTEST) return text
  checkBudget(text, walk)
  const found = (): void => void (walk.count += 1)
  let masked = maskPrivateKeys(text, found)
  for (const { pattern, mask } of walk.shapes) {
    masked = masked.replace(pattern, (...match: string[]) => {
      const shown = mask(...(match as [string, ...string[]]))
      if (shown !== match[0]) found()
      return shown
    })
  }
  return masked
}

// Of the processor, not of the clock: a busy machine withholds nothing.
function checkBudget(text: string, walk: Walk): void {
  walk.seen += text.length + SHORTEST
  if (walk.seen < LOOK_EVERY) return
  walk.seen = 0
  const { user, system } = process.threadCpuUsage(walk.begun)
  if ((user + system) / 1_000 > BUDGET_MS) throw new Error('masking took too long')
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
