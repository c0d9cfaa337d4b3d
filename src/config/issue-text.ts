import { z } from 'zod'
import { toHint } from '../policies/auto-approval/config/resolve.ts'

/** What is wrong with a value, a line per key; a misspelt key comes with the one that is meant. */
export function toIssueTexts(error: z.ZodError, schema: z.ZodType): string[] {
  const known = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape
  return error.issues.flatMap((issue) => toTexts(issue, known))
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

function toTexts(issue: z.core.$ZodIssue, known: Shape): string[] {
  if (issue.code === 'invalid_union') {
    // Of the kinds of value that are allowed here, the one that this is meant to be.
    const meant = issue.errors.find((issues) => issues.every((inner) => inner.path.length > 0))
    const inside = (meant ?? []).map((inner) => ({
      ...inner,
      path: [...issue.path, ...inner.path],
    }))
    if (inside.length > 0) return inside.flatMap((inner) => toTexts(inner, known))
  }
  const path = issue.path.map(String).join('.')
  if (issue.code !== 'unrecognized_keys') {
    return [path === '' ? issue.message : `${path}: ${issue.message}`]
  }
  const keys = [...keysAt(known, issue.path)]
  return issue.keys.map((key) => {
    const hint = toHint(key, keys) || `; known: ${keys.join(', ')}`
    return `${path === '' ? key : `${path}.${key}`}: unknown key${keys.length === 0 ? '' : hint}`
  })
}

function keysAt(shape: Shape, path: readonly PropertyKey[]): Set<string> {
  const [key, ...rest] = path
  const inner = (shape.anyOf ?? []).flatMap((branch) => [...keysAt(branch, path)])
  if (key === undefined) return new Set([...Object.keys(shape.properties ?? {}), ...inner])
  const more =
    typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined
  const next = typeof key === 'number' ? shape.items : (shape.properties?.[String(key)] ?? more)
  return new Set([...(next === undefined ? [] : keysAt(next, rest)), ...inner])
}
