import { parseText, hasOwn, writeOwn } from '../../../src/json/intrinsics.ts'
import {
  defineCompiled,
  defineTool,
  type CompiledSchemas,
} from '../../../src/registry/define-tool.ts'
import { freezeJson } from '../freeze-json.ts'
import type { KnownSchemas } from '../known-schemas.ts'

/** The schemas of a tool that was described before; undefined for any other. */
export type FindSchemas = (name: string) => CompiledSchemas | undefined

/**
 * `defineTool` for a source that has been described before: compiling the schemas of all its tools
 * costs a context more than most calls, and the host goes by what was described.
 */
export function createDefineTool(find: FindSchemas): typeof defineTool {
  const define = (options: Parameters<typeof defineTool>[0]): object => {
    const name: unknown = Object(options).name
    const known = typeof name === 'string' ? find(name) : undefined
    return known === undefined ? defineTool(options) : defineCompiled(options, known)
  }
  return define as typeof defineTool
}

/** Finds schemas that are read when they are first needed: most contexts need those of one tool. */
export function findWhenNeeded(known: KnownSchemas): FindSchemas {
  return (name) => {
    const text = hasOwn(known, name) ? known[name] : undefined
    return text === undefined ? undefined : readLater(text)
  }
}

/** Finds schemas that are read at once, for a realm whose calls share them. */
export function findAtOnce(known: KnownSchemas): FindSchemas {
  const read: Record<string, CompiledSchemas> = {}
  for (const [name, text] of Object.entries(known)) {
    writeOwn(read, name, freezeJson(parseText(text)))
  }
  return (name) => (hasOwn(read, name) ? read[name] : undefined)
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
