import { callMethod, composeDefinition, isCallable, isSchema, nameOf } from './format.ts'
import type { ForeignTool, ToolFormat } from './format.ts'
import { renderBlocks, renderValue } from './result.ts'
import { isZod } from './zod-schema.ts'

/**
 * Function tools of OpenAI Agents: made ones with `invoke(runContext, json, { signal })`, and the
 * options they are made of with `execute(input, runContext, { signal })`.
 */
export const openaiAgents: ToolFormat = {
  name: 'openai-agents',
  recognises(tool) {
    if (!isSchema(tool, 'parameters') || typeof tool['name'] !== 'string') return false
    if (tool['type'] === 'function')
      return isCallable(tool, 'invoke') || isCallable(tool, 'execute')
    // Without `type` it could be a definition that lost its output.
    const isMarked = typeof tool['strict'] === 'boolean' || isZod(tool['parameters'])
    return isMarked && isCallable(tool, 'execute')
  },
  toDefinition(tool, place) {
    const invokes = isCallable(tool, 'invoke')
    return composeDefinition({
      name: nameOf(tool, place),
      tool,
      schema: tool['parameters'],
      timeoutMs: tool['timeoutMs'],
      // A made tool parses its text itself.
      ...(invokes ? { parse: (args: unknown) => args } : {}),
      call(input, { signal, callId }) {
        const details = { signal, toolCall: { callId, name: tool['name'], type: 'function_call' } }
        const context = { context: {} }
        return invokes
          ? callMethod(tool, 'invoke', [context, JSON.stringify(input), details])
          : callMethod(tool, 'execute', [input, context, details])
      },
      render: renderAny,
    })
  },
}

function renderAny(value: unknown): unknown[] {
  const { type, text } = Object(value) as ForeignTool
  if (type === 'text' && typeof text === 'string') return renderBlocks([value])
  return renderValue(value)
}
