import { parseText, hasOwn } from '../../../src/json/intrinsics.ts'
import {
  defineCompiled,
  defineTool,
  type CompiledSchemas,
} from '../../../src/registry/define-tool.ts'
import { freezeJson } from '../freeze-json.ts'
import type { KnownSchemas } from '../known-schemas.ts'

/**
 * `defineTool` for a source that has been described before: compiling the schemas of all its tools
 * costs a context more than most calls, and the host goes by what was described. Those of a tool are
 * read when they are first needed.
 */
export function createDefineTool(known: KnownSchemas): typeof defineTool {
  const define = (options: Parameters<typeof defineTool>[0]): object => {
    const name: unknown = Object(options).name
    const text = typeof name === 'string' && hasOwn(known, name) ? known[name] : undefined
    return text === undefined ? defineTool(options) : defineCompiled(options, readLater(text))
  }
  return define as typeof defineTool
}

function readLater(text: string): CompiledSchemas {
  let read: CompiledSchemas | undefined
  const schemas = (): CompiledSchemas => (read ??= freezeJson(parseText(text)) as CompiledSchemas)
  return {
    get parameters() {
      return schemas().parameters
    },
    get schema() {
      return schemas().schema
    },
  }
}
