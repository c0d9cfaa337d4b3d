import { callMethod, composeDefinition, isCallable, isSchema, nameOf } from './format.ts'
import type { ForeignTool, ToolFormat } from './format.ts'
import { aiSdk } from './ai-sdk.ts'
import { anthropic } from './anthropic.ts'
import { claudeAgentSdk } from './claude-agent-sdk.ts'
import { langchain } from './langchain.ts'
import { mastra } from './mastra.ts'
import { openaiAgents } from './openai-agents.ts'
import { opencode } from './opencode.ts'

const SCHEMA_KEYS = ['inputSchema', 'input_schema', 'parameters', 'schema'] as const
const FUNCTION_KEYS = ['execute', 'run', 'invoke', '_call'] as const

/** What is left: a schema and a function under any pair of the names that frameworks use. */
const anyFunction: ToolFormat = {
  name: 'function',
  recognises(tool) {
    const schemaKey = SCHEMA_KEYS.find((key) => isSchema(tool, key))
    const functionKey = FUNCTION_KEYS.find((key) => isCallable(tool, key))
    if (schemaKey === undefined || functionKey === undefined) return false
    // With `parameters`, `execute` and a name it is a definition that lost its output.
    return schemaKey !== 'parameters' || functionKey !== 'execute' || !('name' in tool)
  },
  toDefinition(tool, place) {
    const schemaKey = SCHEMA_KEYS.find((key) => isSchema(tool, key)) ?? 'inputSchema'
    const functionKey = FUNCTION_KEYS.find((key) => isCallable(tool, key)) ?? 'execute'
    return composeDefinition({
      name: nameOf(tool, place),
      tool,
      schema: tool[schemaKey],
      call(input, { signal, callId }) {
        const options = { abortSignal: signal, signal, toolCallId: callId, messages: [] }
        return callMethod(tool, functionKey, [input, options])
      },
    })
  },
}

// The more a shape asks for, the earlier it is tried.
const FORMATS = [
  openaiAgents,
  anthropic,
  claudeAgentSdk,
  langchain,
  mastra,
  opencode,
  aiSdk,
  anyFunction,
]

/** The format of a tool of another framework; undefined for anything else. */
export function findFormat(value: object): ToolFormat | undefined {
  if ('output' in value) return undefined
  const tool = value as ForeignTool
  return FORMATS.find((format) => format.recognises(tool))
}
