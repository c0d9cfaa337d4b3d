import { callMethod, composeDefinition, isCallable, isSchema, nameOf } from './format.ts'
import type { ForeignExec, ForeignTool, ToolFormat } from './format.ts'
import { renderValue } from './result.ts'

/** Tools of the AI SDK, called by their key: `execute(input, { abortSignal, toolCallId })`. */
export const aiSdk: ToolFormat = {
  name: 'ai-sdk',
  recognises(tool) {
    if (!isCallable(tool, 'execute')) return false
    return isSchema(tool, 'inputSchema') || (isSchema(tool, 'parameters') && !('name' in tool))
  },
  toDefinition: (tool, place) =>
    composeDefinition({
      name: nameOf(tool, place),
      tool,
      schema: schemaOf(tool),
      call: (input, exec) => callMethod(tool, 'execute', [input, toOptions(exec)]),
      render: (value) => renderOutput(tool, value),
    }),
}

/** What the model sees by a tool's own `toModelOutput`, else its value. */
export function renderOutput(tool: ForeignTool, value: unknown): unknown[] {
  if (!isCallable(tool, 'toModelOutput')) return renderValue(value)
  const made = Object(callMethod(tool, 'toModelOutput', [{ output: value }])) as ForeignTool
  if (made['type'] === 'content' && Array.isArray(made['value'])) return made['value']
  return renderValue('value' in made ? made['value'] : value)
}

// A schema may be wrapped in a function that makes it when it is first needed.
function schemaOf({ inputSchema, parameters }: ForeignTool): unknown {
  const schema = inputSchema ?? parameters
  const isLazy = typeof schema === 'function' && !('~standard' in schema)
  return isLazy ? (schema as () => unknown)() : schema
}

function toOptions({ signal, callId }: ForeignExec): object {
  return { abortSignal: signal, signal, toolCallId: callId, messages: [] }
}
