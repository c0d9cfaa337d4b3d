/** The inside of a zod schema, of version 3 or of the first ones of 4, which cannot say it. */
type Inside = Readonly<Record<string, unknown>>

const MAX_DEPTH = 32
const WRAPPERS = new Map([
  ['optional', 'innerType'],
  ['default', 'innerType'],
  ['prefault', 'innerType'],
  ['catch', 'innerType'],
  ['readonly', 'innerType'],
  ['effects', 'schema'],
  ['pipe', 'in'],
  ['pipeline', 'in'],
  ['branded', 'type'],
])

/** Whether a value is a zod schema. */
export function isZod(value: unknown): value is object {
  return kindOf(value) !== undefined
}

/** JSON Schema of what a zod schema takes; what has no equivalent is left open. */
export function describeZod(schema: unknown, depth = 0): Record<string, unknown> {
  if (depth > MAX_DEPTH) return {}
  const said: unknown = Reflect.get(Object(schema), 'description')
  const described = describeKind(schema, depth)
  return typeof said === 'string' ? { ...described, description: said } : described
}

function describeKind(schema: unknown, depth: number): Record<string, unknown> {
  const inside = insideOf(schema)
  const kind = kindOf(schema) ?? ''
  const inner = (value: unknown): Record<string, unknown> => describeZod(value, depth + 1)
  const wrapped = WRAPPERS.get(kind)
  if (wrapped !== undefined) return inner(inside[wrapped])
  switch (kind) {
    case 'object':
      return describeObject(inside, inner)
    case 'number':
      return describeNumber(inside)
    case 'string':
    case 'boolean':
    case 'null':
      return { type: kind }
    case 'array':
      return { type: 'array', items: inner(inside['element'] ?? inside['type']) }
    case 'record':
      return { type: 'object', additionalProperties: inner(inside['valueType']) }
    case 'enum':
    case 'nativeenum':
      return { enum: Object.values(Object(inside['values'] ?? inside['entries'])) }
    case 'literal':
      return { enum: Array.isArray(inside['values']) ? inside['values'] : [inside['value']] }
    case 'nullable':
      return { anyOf: [inner(inside['innerType']), { type: 'null' }] }
    case 'union':
    case 'discriminatedunion':
      return { anyOf: [...(inside['options'] as Iterable<unknown>)].map(inner) }
    default:
      return {}
  }
}

function describeObject(
  inside: Inside,
  inner: (value: unknown) => Record<string, unknown>,
): Record<string, unknown> {
  const given = inside['shape']
  const shape = Object(typeof given === 'function' ? (given as () => unknown)() : given) as object
  const fields = Object.entries(shape)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([key, field]) => [key, inner(field)])),
    required: fields.filter(([, field]) => !isOptional(field)).map(([key]) => key),
  }
}

function describeNumber(inside: Inside): Record<string, unknown> {
  const checks = Array.isArray(inside['checks']) ? (inside['checks'] as Inside[]) : []
  const made: Record<string, unknown> = { type: 'number' }
  for (const { kind, value, inclusive } of checks) {
    if (kind === 'int') made['type'] = 'integer'
    if (kind === 'min') made[inclusive === false ? 'exclusiveMinimum' : 'minimum'] = value
    if (kind === 'max') made[inclusive === false ? 'exclusiveMaximum' : 'maximum'] = value
  }
  return made
}

function isOptional(field: unknown): boolean {
  const method: unknown = Reflect.get(Object(field), 'isOptional')
  return typeof method === 'function' && Reflect.apply(method, field, []) === true
}

function insideOf(schema: unknown): Inside {
  return Object(Reflect.get(Object(schema), '_def')) as Inside
}

function kindOf(schema: unknown): string | undefined {
  const { typeName, type } = insideOf(schema)
  if (typeof typeName === 'string') return typeName.replace(/^Zod/, '').toLowerCase()
  const isZod4 = Reflect.get(Object(schema), '_zod') !== undefined
  return isZod4 && typeof type === 'string' ? type : undefined
}
