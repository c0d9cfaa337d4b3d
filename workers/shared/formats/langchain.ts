import { callMethod, composeDefinition, isCallable, isSchema, nameOf } from './format.ts'
import type { ForeignTool, ToolFormat } from './format.ts'
import { renderBlocks, renderValue } from './result.ts'

const WAYS = ['invoke', '_call', 'func'] as const

/**
 * Tools of LangChain: `schema`, and `invoke(args, { signal })`, else `_call` or `func` with
 * `(args, runManager, { signal })`. Of a `content_and_artifact` the model sees the content.
 */
export const langchain: ToolFormat = {
  name: 'langchain',
  recognises: (tool) =>
    typeof tool['name'] === 'string' && isSchema(tool, 'schema') && wayOf(tool) !== undefined,
  toDefinition(tool, place) {
    const way = wayOf(tool) ?? 'invoke'
    return composeDefinition({
      name: nameOf(tool, place),
      tool,
      schema: tool['schema'],
      call(input, { signal, callId }) {
        const config = { signal, configurable: {}, metadata: {}, toolCallId: callId }
        const rest = way === 'invoke' ? [config] : [undefined, config]
        return callMethod(tool, way, [input, ...rest])
      },
      render: (value) => renderResult(tool, value),
    })
  },
}

function wayOf(tool: ForeignTool): string | undefined {
  return WAYS.find((key) => isCallable(tool, key))
}

function renderResult(tool: ForeignTool, value: unknown): unknown[] {
  const isPair = tool['responseFormat'] === 'content_and_artifact' && Array.isArray(value)
  const content: unknown = isPair && value.length === 2 ? value[0] : value
  return typeof content === 'string' ? renderValue(content) : renderBlocks(content)
}
