import { toThrownRecord } from '../thrown.ts'
import { describeZod, isZod } from './zod-schema.ts'

type Callable = (...args: unknown[]) => unknown

/** JSON Schema of a schema object, by whichever way it offers; else any object. */
export function toJsonSchema(schema: unknown): unknown {
  if (schema === undefined || schema === null) return { type: 'object' }
  const method = read(schema, 'toJSONSchema')
  if (typeof method === 'function') {
    return toPlain(Reflect.apply(method, schema, [{ io: 'input', unrepresentable: 'any' }]))
  }
  const standard = read(schema, '~standard')
  const converter = read(read(standard, 'jsonSchema'), 'input')
  if (typeof converter === 'function') {
    return toPlain(Reflect.apply(converter, undefined, [{ target: 'draft-2020-12' }]))
  }
  if (isZod(schema)) return describeZod(schema)
  const wrapped = read(schema, 'jsonSchema')
  if (typeof wrapped === 'object' && wrapped !== null) return toPlain(wrapped)
  if (standard !== undefined || typeof read(schema, 'parse') === 'function') {
    return { type: 'object' }
  }
  return toPlain(schema)
}

/** The JSON Schema of an object whose fields have these schemas. */
export function shapeToJsonSchema(shape: Record<string, unknown>): object {
  const properties = Object.fromEntries(
    Object.entries(shape).map(([key, field]) => [key, toJsonSchema(field)]),
  )
  const required = Object.entries(shape).filter(([, field]) => !isOptional(field))
  return { type: 'object', properties, required: required.map(([key]) => key) }
}

/**
 * What a schema makes of arguments, with its defaults and transformations. Throws every complaint.
 * JSON Schema takes them as they are: the host has checked it.
 */
export async function parseInput(schema: unknown, args: unknown): Promise<unknown> {
  const standard = read(schema, '~standard')
  const validate = read(standard, 'validate')
  if (typeof validate === 'function') {
    const verdict: unknown = await Reflect.apply(validate, standard, [args])
    return accept(read(verdict, 'issues'), read(verdict, 'value'))
  }
  const own = read(schema, 'safeParse') ?? read(schema, 'validate')
  if (typeof own !== 'function') return args
  const verdict: unknown = await Reflect.apply(own as Callable, schema, [args])
  if (read(verdict, 'success') === false) {
    const error = read(verdict, 'error')
    return accept(read(error, 'issues') ?? [error], undefined)
  }
  return read(verdict, 'value') ?? read(verdict, 'data') ?? args
}

/** The same for an object of schemas; a field without one passes. */
export async function parseShape(
  shape: Record<string, unknown>,
  args: unknown,
): Promise<Record<string, unknown>> {
  const parsed: Record<string, unknown> = { ...Object(args) }
  for (const [key, field] of Object.entries(shape)) {
    const value = await parseInput(field, parsed[key])
    if (value !== undefined) parsed[key] = value
  }
  return parsed
}

function accept(issues: unknown, value: unknown): unknown {
  if (!Array.isArray(issues)) return value
  const texts = issues.map((issue) => toThrownRecord(issue).message)
  throw new Error(`invalid arguments: ${texts.join('; ')}`)
}

function isOptional(field: unknown): boolean {
  const method = read(field, 'isOptional')
  if (typeof method === 'function') return Reflect.apply(method, field, []) === true
  return false
}

// Without the symbols some schema libraries leave on their plain objects, and without the dialect.
function toPlain(schema: unknown): unknown {
  const { $schema: _dialect, ...rest } = JSON.parse(JSON.stringify(schema)) as object & {
    $schema?: unknown
  }
  return rest
}

function read(owner: unknown, key: string): unknown {
  return owner === undefined || owner === null ? undefined : Reflect.get(Object(owner), key)
}
