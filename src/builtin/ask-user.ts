import { defineTool } from '../registry/define-tool.ts'
import type { AgentRef } from '../types/call.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { toolError } from './refuse.ts'

/** A question of a model for the person it works for. */
export interface UserQuestion {
  readonly question: string
  /** Answers to choose from; empty for a free one. */
  readonly options: readonly string[]
  readonly agent?: AgentRef
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** Asks a person; resolves to the answer. A rejection is told to the model by its message. */
export type UserBackend = (question: UserQuestion) => Promise<string>

const MAX_ANSWER = 16 * 1024

/** `ask_user`: a question that the embedder's back end puts to a person. */
export function createAskUserTool(ask: UserBackend): ToolDefinition {
  return defineTool({
    name: 'ask_user',
    description: 'Asks the user one question and waits for the answer.',
    parameters: {
      question: { type: 'string', required: true },
      options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from' },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: { answer: { type: 'string', required: true } },
      },
      render: (_args, { answer }) => [{ type: 'text', text: answer }],
    },
    async execute({ question, options = [] }, exec) {
      if (question.trim() === '') throw toolError('question is empty')
      const { agent, signal } = exec
      const answer: unknown = await ask({
        question,
        options,
        signal,
        ...(agent === undefined ? {} : { agent }),
      })
      if (typeof answer !== 'string') throw toolError('the user gave no answer')
      return { answer: answer.slice(0, MAX_ANSWER) }
    },
  })
}
