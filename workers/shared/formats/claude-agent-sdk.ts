import { callMethod, composeDefinition, isCallable, isSchema, nameOf } from './format.ts'
import type { ForeignExec, ForeignTool, ToolFormat } from './format.ts'
import { renderBlocks } from './result.ts'
import { parseInput, parseShape, shapeToJsonSchema } from './schema.ts'
import { isZod } from './zod-schema.ts'

/**
 * Tools of the Claude Agent SDK: `inputSchema` with a schema per argument, or one schema of all, and
 * `handler(args, { signal })` with a result as MCP writes it. One with `isError` is a failed call.
 */
export const claudeAgentSdk: ToolFormat = {
  name: 'claude-agent-sdk',
  recognises: (tool) =>
    typeof tool['name'] === 'string' &&
    isSchema(tool, 'inputSchema') &&
    isCallable(tool, 'handler'),
  toDefinition(tool, place) {
    const schema = tool['inputSchema']
    const shape = isShape(schema) ? schema : undefined
    return composeDefinition({
      name: nameOf(tool, place),
      tool,
      get schema() {
        return shape === undefined ? schema : shapeToJsonSchema(shape)
      },
      parse: (args) => (shape === undefined ? parseInput(schema, args) : parseShape(shape, args)),
      call: async (input, exec) =>
        accept(await callMethod(tool, 'handler', [input, toExtra(exec)])),
      render: (value) => renderBlocks(Object(value).content),
    })
  },
}

// Anything else is a schema: of a library, or JSON Schema, whose fields are no schemas all.
function isShape(schema: unknown): schema is Record<string, unknown> {
  if (isZod(schema) || '~standard' in Object(schema)) return false
  return Object.values(Object(schema)).every(
    (field) => isZod(field) || '~standard' in Object(field),
  )
}

function accept(result: unknown): unknown {
  const { isError, content } = Object(result) as ForeignTool
  if (isError !== true) return result
  const texts = Array.isArray(content) ? content.map((block) => Object(block).text) : []
  const text = texts.filter((part) => typeof part === 'string').join('\n')
  throw new Error(text === '' ? 'the tool reported an error' : text)
}

function toExtra({ signal, callId }: ForeignExec): object {
  return {
    signal,
    requestId: callId,
    sendNotification: async () => undefined,
    sendRequest: () => Promise.reject(new Error('no client answers a sandboxed tool')),
  }
}
