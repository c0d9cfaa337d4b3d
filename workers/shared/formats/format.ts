import { lastOf, renderValue, toJson } from './result.ts'
import { parseInput, toJsonSchema } from './schema.ts'

export type Callable = (...args: unknown[]) => unknown

/** A tool as another framework writes it; nothing about it has been checked. */
export type ForeignTool = Readonly<Record<string, unknown>>

/** Where a tool was found: its export or key, and its file without folder and ending. */
export interface Place {
  readonly key: string
  readonly file: string
}

/** What a body of the contract is given, as far as other frameworks have a word for it. */
export interface ForeignExec {
  readonly signal: AbortSignal
  readonly callId: string
  progress(update: unknown): void
}

/** One family of tools: how it is recognised and how it becomes definitions of the contract. */
export interface ToolFormat {
  readonly name: string
  recognises(tool: ForeignTool): boolean
  toDefinition(tool: ForeignTool, place: Place): object
}

interface Given {
  readonly name: string
  readonly tool: ForeignTool
  /** Of any schema library, or JSON Schema. */
  readonly schema: unknown
  /** Default: by `schema`. */
  readonly parse?: (args: unknown) => unknown
  readonly timeoutMs?: unknown
  call(input: unknown, exec: ForeignExec): unknown
  render?(value: unknown): unknown[]
}

/** The definition of the contract for a tool of another framework. */
export function composeDefinition(given: Given): object {
  const { name, tool, timeoutMs, parse = (args) => parseInput(given.schema, args) } = given
  const { description } = tool
  let parameters: unknown
  return {
    name,
    description: typeof description === 'string' ? description : '',
    // Only a description needs it, and a context that is made for one call asks for none.
    get parameters() {
      parameters ??= toJsonSchema(given.schema)
      return parameters
    },
    ...(typeof timeoutMs === 'number' && timeoutMs > 0 ? { timeoutMs } : {}),
    output: {
      schema: {},
      render: (_args: unknown, value: unknown) => (given.render ?? renderValue)(value),
    },
    async execute(args: unknown, exec: ForeignExec) {
      return toJson(await lastOf(given.call(await parse(args), exec)))
    },
  }
}

/** The name a tool says, else its key; a default export is called like its file. */
export function nameOf(tool: ForeignTool, { key, file }: Place): string {
  const { name } = tool
  if (typeof name === 'string' && name !== '') return name
  return key === 'default' ? file : key
}

/** Whether a field is a function. */
export function isCallable(tool: ForeignTool, key: string): boolean {
  return typeof tool[key] === 'function'
}

/** Whether a field is an object, as schemas are. */
export function isSchema(tool: ForeignTool, key: string): boolean {
  const value = tool[key]
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** Calls a method of a tool. */
export function callMethod(tool: ForeignTool, key: string, args: readonly unknown[]): unknown {
  return Reflect.apply(tool[key] as Callable, tool, args)
}
