import { cutText, escapeText } from '../../../cards/escape.ts'
import type { JsonValue } from '../../../types/json.ts'
import { isCredentialName, MASK } from '../redaction/patterns.ts'
import { redactText } from '../redaction/redact.ts'

/** Arguments as people and models get to see them. */
export interface SanitizedArguments {
  readonly value: JsonValue
  /** Something was left out or cut. */
  readonly shortened: boolean
}

const MAX_DEPTH = 3
const MAX_ITEMS = 25
const MAX_KEYS = 50
const MAX_TEXT = 1_000
/** Of one text; what lies behind is never shown. */
const MAX_LOOKED_AT = 64 * 1_024
const BULK: ReadonlySet<string> = new Set([
  'content',
  'body',
  'payload',
  'data',
  'text',
  'old_string',
  'new_string',
  'patch',
])

/** Masks, cuts and escapes arguments. What is shown never decides anything. */
export function sanitizeArguments(value: JsonValue): SanitizedArguments {
  const seen = { shortened: false }
  return { value: sanitize(value, 0, seen), ...seen }
}

interface Seen {
  shortened: boolean
}

function sanitize(value: JsonValue, depth: number, seen: Seen): JsonValue {
  if (typeof value === 'string') return sanitizeText(value, seen)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) {
    seen.shortened = true
    return '[deeper levels left out]'
  }
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[]
    if (items.length > MAX_ITEMS) seen.shortened = true
    const shown = items.slice(0, MAX_ITEMS).map((item) => sanitize(item, depth + 1, seen))
    return items.length > MAX_ITEMS ? [...shown, `[${items.length - MAX_ITEMS} more]`] : shown
  }
  const fields = Object.entries(value)
  if (fields.length > MAX_KEYS) seen.shortened = true
  const shown: Record<string, JsonValue> = Object.create(null)
  for (const [key, field] of fields.slice(0, MAX_KEYS)) {
    shown[sanitizeText(key, seen)] = sanitizeField(key, field, depth, seen)
  }
  return shown
}

function sanitizeField(key: string, field: JsonValue, depth: number, seen: Seen): JsonValue {
  if (isCredentialName(key) && field !== null) return MASK
  if (BULK.has(key) && field !== null) {
    seen.shortened = true
    const length = typeof field === 'string' ? field.length : JSON.stringify(field).length
    return `[${length} characters]`
  }
  return sanitize(field, depth + 1, seen)
}

// Masked before it is cut, so that half a secret is no way around the mask.
function sanitizeText(text: string, seen: Seen): string {
  const masked = redactText(cutText(text, MAX_LOOKED_AT))
  const shown = cutText(masked, MAX_TEXT)
  if (shown.length < masked.length || text.length > MAX_LOOKED_AT) seen.shortened = true
  const lines = shown.split('\n').map(escapeText).join('\n')
  return shown.length < masked.length ? `${lines}…` : lines
}
