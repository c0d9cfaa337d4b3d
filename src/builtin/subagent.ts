import { defineTool } from '../registry/define-tool.ts'
import type { AgentRef } from '../types/call.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { toolError } from './refuse.ts'

/** Work that one agent gives to another. */
export interface SubagentTask {
  readonly description: string
  readonly prompt: string
  /** Who gives it; what works on it belongs below. */
  readonly agent?: AgentRef
  /** Aborts when nobody waits for the report any more. */
  readonly signal: AbortSignal
}

/** Works on a task; resolves to the report. A rejection is told to the model by its message. */
export type SubagentBackend = (task: SubagentTask) => Promise<string>

const MAX_REPORT = 256 * 1024

/** `subagent`: a task that the embedder's back end gives to an agent of its own. */
export function createSubagentTool(run: SubagentBackend): ToolDefinition {
  return defineTool({
    name: 'subagent',
    description: 'Gives a task to another agent and waits for its report.',
    parameters: {
      description: { type: 'string', required: true, description: 'The task in a few words' },
      prompt: { type: 'string', required: true, description: 'All that the agent needs to know' },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: { report: { type: 'string', required: true } },
      },
      render: (_args, { report }) => [{ type: 'text', text: report }],
    },
    async execute({ description, prompt }, exec) {
      if (prompt.trim() === '') throw toolError('prompt is empty')
      const { agent, signal } = exec
      const report: unknown = await run({
        description,
        prompt,
        signal,
        ...(agent === undefined ? {} : { agent }),
      })
      if (typeof report !== 'string') throw toolError('the agent gave no report')
      return { report: report.slice(0, MAX_REPORT) }
    },
    isConcurrencySafe: () => true,
  })
}
