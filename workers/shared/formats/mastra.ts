import { renderOutput } from './ai-sdk.ts'
import { callMethod, composeDefinition, isCallable, type ToolFormat } from './format.ts'

/**
 * Tools of Mastra, called by their id. Newer ones take the input, older ones an object that has it as
 * `context`: they are given the input with a `context` that is not enumerable, which serves both. An
 * input with a `context` of its own goes as it is, as newer ones expect.
 */
export const mastra: ToolFormat = {
  name: 'mastra',
  recognises: (tool) =>
    typeof tool['id'] === 'string' && !('name' in tool) && isCallable(tool, 'execute'),
  toDefinition: (tool) =>
    composeDefinition({
      name: String(tool['id']),
      tool,
      schema: tool['inputSchema'],
      call(input, { signal, callId }) {
        const requestContext = new Map()
        const agent = { toolCallId: callId, messages: [] }
        const options = { abortSignal: signal, toolCallId: callId, agent, requestContext }
        return callMethod(tool, 'execute', [withContext(input, requestContext, signal), options])
      },
      render: (value) => renderOutput(tool, value),
    }),
}

function withContext(input: unknown, runtimeContext: unknown, abortSignal: unknown): unknown {
  if (typeof input !== 'object' || input === null || 'context' in input) return input
  const both = { ...input }
  for (const [key, value] of Object.entries({ context: input, runtimeContext, abortSignal })) {
    if (!(key in both)) Object.defineProperty(both, key, { value })
  }
  return both
}
