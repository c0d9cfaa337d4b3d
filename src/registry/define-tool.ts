import { CaissonError } from '../errors/caisson-error.ts'
import { compileParameters, compileValueSchema } from '../schema/compile.ts'
import type { InferArgs, InferValue } from '../schema/infer.ts'
import type { ParameterSchemaSpec, ValueSchemaSpec } from '../schema/spec.ts'
import { validateArguments } from '../schema/validate.ts'
import type { ContentBlock } from '../types/content.ts'
import type { JsonObject, JsonValue } from '../types/json.ts'
import type { PresentedResult, RetrySettings, ToolDefinition, ToolRun } from '../types/tool.ts'
import type { ToolCallView, ToolResultView } from '../types/view.ts'

/** Arguments as a tool gets them: frozen, so that what was logged is what runs. */
type FrozenArgs<Parameters> = Readonly<InferArgs<Parameters>>

/** What `defineTool` takes: a definition whose two schemas are written in the DSL. */
export interface DefineToolOptions<
  Parameters extends ParameterSchemaSpec,
  Output extends ValueSchemaSpec,
> {
  readonly name: string
  readonly description: string
  readonly parameters: Parameters
  readonly output: {
    readonly schema: Output
    render(args: FrozenArgs<Parameters>, value: InferValue<NoInfer<Output>>): ContentBlock[]
    presentationMeta?(args: FrozenArgs<Parameters>, value: InferValue<NoInfer<Output>>): JsonValue
  }
  execute(
    args: FrozenArgs<Parameters>,
    exec: ToolRun,
  ): InferValue<NoInfer<Output>> | Promise<InferValue<NoInfer<Output>>>
  finalizeContent?(exec: unknown, result: unknown): ContentBlock[] | undefined
  /** Milliseconds, above 0 and at most 2 147 483 647. */
  readonly timeoutMs?: number
  readonly idempotent?: boolean
  readonly retry?: RetrySettings
  isConcurrencySafe?(args: FrozenArgs<Parameters>): boolean
  presentCall?(args: FrozenArgs<Parameters>): ToolCallView | undefined
  presentResult?(args: FrozenArgs<Parameters>, result: PresentedResult): ToolResultView | undefined
}

// Taken before tool code runs: inside an isolate a tool may replace it.
const { apply } = Reflect
const MARK: symbol = Symbol.for('caisson.defined-tool')
const MAX_TIMEOUT_MS = 2_147_483_647

/** The schemas of a tool, compiled. */
export interface CompiledSchemas {
  readonly parameters: JsonObject
  readonly schema: JsonObject
}

/**
 * A frozen tool definition with its schemas compiled to JSON Schema. Throws `UNSUPPORTED_SCHEMA`, or
 * `CONFIG_INVALID` for a bad `timeoutMs`. No function of the author is entered with arguments that do
 * not validate: `execute` rejects with `INVALID_ARGS`, presenters answer `undefined`, the classifier
 * `false`.
 */
export function defineTool<
  const Parameters extends ParameterSchemaSpec,
  const Output extends ValueSchemaSpec,
>(
  options: DefineToolOptions<Parameters, Output>,
): ToolDefinition<FrozenArgs<Parameters>, InferValue<Output>> {
  const { parameters, output } = checkOptions(options)
  const compiled = {
    parameters: compileParameters(parameters),
    schema: compileValueSchema(output.schema),
  }
  return defineCompiled(options, compiled) as unknown as ToolDefinition<
    InferArgs<Parameters>,
    InferValue<Output>
  >
}

/** The same for a tool whose schemas have been compiled before; getters stay getters. */
export function defineCompiled(options: object, compiled: CompiledSchemas): object {
  const { name, description, output, timeoutMs, idempotent, retry } = checkOptions(
    options as AnyToolOptions,
  )
  const check: ArgumentCheck = (args) => validateArguments(compiled.parameters, args)
  const reject = (violations: string[]): unknown => rejectArguments(name, violations)
  // Contexts of a sandbox define all tools of a source for each call: this is held short.
  const shown: Record<string, unknown> = {}
  copy(compiled, 'schema', shown)
  put(shown, 'render', methodOf(output, 'render'))
  put(shown, 'presentationMeta', methodOf(output, 'presentationMeta'))
  const definition: Record<string, unknown> = { name, description }
  copy(compiled, 'parameters', definition)
  definition['output'] = Object.freeze(shown)
  put(definition, 'execute', guard(methodOf(options, 'execute'), check, reject))
  put(definition, 'timeoutMs', timeoutMs)
  put(definition, 'idempotent', idempotent)
  put(definition, 'retry', retry)
  put(definition, 'finalizeContent', methodOf(options, 'finalizeContent'))
  for (const [key, refused] of GUARDED) {
    put(definition, key, guard(methodOf(options, key), check, refused))
  }
  Object.defineProperty(definition, MARK, IS_DEFINED)
  return Object.freeze(definition)
}

/** What they answer for arguments that do not validate. */
const GUARDED: readonly (readonly [string, () => unknown])[] = [
  ['isConcurrencySafe', () => false],
  ['presentCall', () => undefined],
  ['presentResult', () => undefined],
]
const IS_DEFINED = Object.freeze({ value: true })

interface AnyToolOptions {
  readonly name: string
  readonly description: string
  readonly output: object
  readonly timeoutMs?: number
  readonly idempotent?: boolean
  readonly retry?: RetrySettings
}

/** Whether a definition was made by `defineTool`, also by that of another copy of this module. */
export function isDefinedTool(definition: unknown): boolean {
  if (typeof definition !== 'object' || definition === null) return false
  return Object.hasOwn(definition, MARK) && Reflect.get(definition, MARK) === true
}

type ArgumentCheck = (args: unknown) => string[]

function checkOptions<Options extends { name: string; output: object; timeoutMs?: number }>(
  options: Options,
): Options {
  if (typeof options !== 'object' || options === null) {
    throw new CaissonError('CONFIG_INVALID', 'defineTool takes a tool definition')
  }
  const { name, output, timeoutMs } = options
  if (typeof output !== 'object' || output === null) {
    throw new CaissonError('CONFIG_INVALID', `tool '${String(name)}': output must be an object`)
  }
  if (timeoutMs !== undefined && !isTimeout(timeoutMs)) {
    const rule = `timeoutMs must be a number above 0 and at most ${MAX_TIMEOUT_MS}`
    throw new CaissonError('CONFIG_INVALID', `tool '${String(name)}': ${rule}`)
  }
  return options
}

function isTimeout(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS
}

type Method = (...args: unknown[]) => unknown

// What is no function stays as it is: registration says so, with all that is wrong besides.
function methodOf(owner: object, key: string): unknown {
  const found: unknown = Reflect.get(owner, key)
  if (typeof found !== 'function') return found
  return (...args: unknown[]) => apply(found, owner, args) as unknown
}

function guard(
  method: unknown,
  check: ArgumentCheck,
  refuse: (violations: string[]) => unknown,
): unknown {
  if (typeof method !== 'function') return method
  return (...args: unknown[]) => {
    const violations = check(args[0])
    return violations.length === 0 ? (method as Method)(...args) : refuse(violations)
  }
}

function rejectArguments(name: string, violations: string[]): Promise<never> {
  const text = `invalid arguments for '${name}': ${violations.join('; ')}`
  return Promise.reject(new CaissonError('INVALID_ARGS', text, { violations }))
}

function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (value !== undefined) target[key] = value
}

/** A getter stays one. */
function copy(source: object, key: string, target: Record<string, unknown>): void {
  const found = Object.getOwnPropertyDescriptor(source, key)
  if (found?.get === undefined) put(target, key, found?.value)
  else Object.defineProperty(target, key, found)
}
