import type { JsonValue } from '../../../types/json.ts'
import { parseStrictJson } from './strict-json.ts'

const MAX_TEXT = 20_000

/** The text of the one finished choice of a chat completion, or why there is none. Never throws. */
export function parseEnvelope(
  bytes: Buffer,
): { readonly text: string } | { readonly why: 'malformed' | 'empty' } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const { choices } = toRecord(parseStrictJson(text))
    if (!Array.isArray(choices) || choices.length !== 1) return { why: 'malformed' }
    const choice = toRecord(choices[0] as JsonValue)
    const message = toRecord(choice['message'])
    const { content } = message
    if (choice['finish_reason'] !== 'stop' || callsTools(message)) return { why: 'malformed' }
    if (content === '' || content === null) return { why: 'empty' }
    if (typeof content !== 'string' || content.length > MAX_TEXT) return { why: 'malformed' }
    return { text: content }
  } catch {
    return { why: 'malformed' }
  }
}

/**
 * The one object that an answer is, after one code fence around it was taken off. Throws for
 * anything else: text before or after it, a list, a key that is named twice.
 */
export function parseAnswerObject(text: string): Readonly<Record<string, JsonValue>> {
  const fenced = /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n?```\s*$/.exec(text)
  return toRecord(parseStrictJson(fenced?.[1] ?? text))
}

function callsTools({
  tool_calls: calls,
  function_call: call,
}: Readonly<Record<string, JsonValue>>): boolean {
  if (call !== undefined && call !== null) return true
  if (calls === undefined || calls === null) return false
  return !Array.isArray(calls) || calls.length > 0
}

function toRecord(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, JsonValue>>
  }
  throw new Error('no object')
}
