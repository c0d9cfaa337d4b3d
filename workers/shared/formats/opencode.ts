import { callMethod, composeDefinition, isCallable, isSchema } from './format.ts'
import type { ForeignExec, ForeignTool, Place, ToolFormat } from './format.ts'
import { renderValue } from './result.ts'
import { parseShape, shapeToJsonSchema } from './schema.ts'

/**
 * Tool files of opencode: `args` with a schema per argument and `execute(args, { abort })`. The file
 * is the name; a named export is added to it as `<file>_<export>`.
 */
export const opencode: ToolFormat = {
  name: 'opencode',
  recognises: (tool) => isSchema(tool, 'args') && isCallable(tool, 'execute'),
  toDefinition(tool, place) {
    const shape = tool['args'] as Record<string, unknown>
    return composeDefinition({
      name: nameByFile(place),
      tool,
      get schema() {
        return shapeToJsonSchema(shape)
      },
      parse: (args) => parseShape(shape, args),
      call: (input, exec) => callMethod(tool, 'execute', [input, toContext(exec)]),
      render: renderOutput,
    })
  },
}

function nameByFile({ key, file }: Place): string {
  return key === 'default' ? file : `${file}_${key}`
}

function toContext({ signal, callId }: ForeignExec): object {
  return {
    abort: signal,
    callID: callId,
    sessionID: '',
    messageID: '',
    agent: '',
    directory: '/workspace',
    worktree: '/workspace',
    metadata: () => undefined,
    // Refused rather than granted: approval is asked by the host before the tool is entered.
    ask: () => Promise.reject(new Error('ask is not offered to a sandboxed tool')),
  }
}

function renderOutput(value: unknown): unknown[] {
  const { output } = Object(value) as ForeignTool
  return renderValue(typeof output === 'string' ? output : value)
}
