import type { defineTool as DefineTool } from '../../../src/registry/define-tool.ts'
import { compileParameters, compileValueSchema } from '../../../src/schema/compile.ts'
import type { ParameterSchemaSpec } from '../../../src/schema/spec.ts'
import { assertSupportedSchema } from '../../../src/schema/supported.ts'
import { validateArguments, validateValue } from '../../../src/schema/validate.ts'
import type { JsonObject } from '../../../src/types/json.ts'
import type { DshErrors } from './dsh-errors.ts'

/** The exports of DSH's tools package that tools use; `defineTool` is Caisson's own. */
export function createDshTools(
  errors: DshErrors,
  defineTool: typeof DefineTool,
): Record<string, unknown> {
  return {
    RUN_CODE_NAME: 'run_code',
    TOOL_ABORTED: 'ABORTED',
    TOOL_ABORTED_BEFORE_DISPATCH: 'ABORTED_BEFORE_DISPATCH',
    TOOL_RUNTIME_SCHEDULER: Symbol('tool-runtime-scheduler'),
    JsonSchemaError: errors.JsonSchemaError,
    ToolArgsError: errors.ToolArgsError,
    ToolNotFoundError: errors.ToolNotFoundError,
    ToolOutputError: errors.ToolOutputError,
    assertObjectJsonSchema,
    assertSupportedJsonSchema: (schema: unknown) => void assertSupportedSchema(schema, 'schema'),
    defineContentToolFixture: (options: Parameters<typeof DefineTool>[0]) =>
      defineTool({ ...options, output: CONTENT_OUTPUT } as never),
    defineTool,
    parameterSchemaSpecToJsonSchema: compileParameters,
    validateArgs: (spec: ParameterSchemaSpec, args: unknown) =>
      validateArguments(compileParameters(spec), args),
    validateJsonSchemaValue: (schema: JsonObject, value: unknown, path = 'value') =>
      path === '' ? validateArguments(schema, value) : validateValue(schema, value, path),
    valueSchemaSpecToJsonSchema: compileValueSchema,
  }
}

function assertObjectJsonSchema(schema: unknown): void {
  assertSupportedSchema(schema, 'schema')
  if (Reflect.get(Object(schema), 'type') !== 'object') {
    throw new TypeError('schema.type must be "object"')
  }
}

const CONTENT_SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: true,
    properties: { type: { type: 'string', required: true } },
  },
} as const

/** Of a tool whose value is its content. */
const CONTENT_OUTPUT = {
  schema: CONTENT_SCHEMA,
  render: (_args: unknown, value: unknown) => value,
}
