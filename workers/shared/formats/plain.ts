import { composeDefinition, nameOf, type Callable, type ForeignTool } from './format.ts'

const SCHEMA_KEYS = ['parameters', 'schema', 'inputSchema'] as const

/**
 * The definition a module is whose default export is a function `(args, exec) => value` beside a
 * schema; `name` and `description` are exports too, and its name is else that of the file.
 * Undefined when there is no schema.
 */
export function toPlainDefinition(
  body: unknown,
  exports: unknown,
  file: string,
): object | undefined {
  const beside = Object(exports) as ForeignTool
  const own = Object(body) as ForeignTool
  const schema = [beside, own].flatMap((owner) => SCHEMA_KEYS.map((key) => owner[key]))
  const found = schema.find((value) => typeof value === 'object' && value !== null)
  if (typeof body !== 'function' || found === undefined) return undefined
  const description = beside['description'] ?? own['description']
  // The name a function has of its own is the author's variable, not the tool's name.
  const said = body === exports ? undefined : beside['name']
  return composeDefinition({
    name: nameOf({ name: said }, { key: 'default', file }),
    tool: { description },
    schema: found,
    call: (input, exec) => (body as Callable)(input, exec),
  })
}
