import { callMethod, composeDefinition, isCallable, isSchema, nameOf } from './format.ts'
import type { ToolFormat } from './format.ts'
import { renderBlocks } from './result.ts'

/** Runnable tools of the Anthropic SDK: `input_schema` and `run(args, { signal })`. */
export const anthropic: ToolFormat = {
  name: 'anthropic',
  recognises: (tool) => isSchema(tool, 'input_schema') && isCallable(tool, 'run'),
  toDefinition(tool, place) {
    const name = nameOf(tool, place)
    return composeDefinition({
      name,
      tool,
      schema: tool['input_schema'],
      ...(isCallable(tool, 'parse')
        ? { parse: (args: unknown) => callMethod(tool, 'parse', [args]) }
        : {}),
      call(input, { signal, callId }) {
        const toolUseBlock = { type: 'tool_use', id: callId, name, input }
        return callMethod(tool, 'run', [input, { signal, toolUseBlock }])
      },
      render: renderBlocks,
    })
  },
}
