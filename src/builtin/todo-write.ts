import { defineTool } from '../registry/define-tool.ts'
import type { TodoItem } from '../types/events.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { toolError } from './refuse.ts'
import type { BuiltinServices } from './services.ts'

export interface TodoOptions {
  /** Whether several tasks may be in progress at once. */
  readonly allowParallelInProgress: boolean
}

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const

/** `todo_write`: replaces the agent's whole list of tasks. */
export function createTodoWriteTool(
  services: Pick<BuiltinServices, 'writeTodos'>,
  options: TodoOptions,
): ToolDefinition {
  return defineTool({
    name: 'todo_write',
    description: 'Replaces the whole list of tasks. Keep it current while you work.',
    parameters: {
      todos: {
        type: 'array',
        required: true,
        items: {
          type: 'object',
          additionalProperties: false,
          properties: {
            content: { type: 'string', required: true, description: 'What is to be done' },
            status: {
              type: 'string',
              enum: ['pending', 'in_progress', 'completed'],
              required: true,
            },
          },
        },
      },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          todos: {
            type: 'array',
            required: true,
            items: {
              type: 'object',
              additionalProperties: false,
              properties: {
                content: { type: 'string', required: true },
                status: {
                  type: 'string',
                  enum: ['pending', 'in_progress', 'completed'],
                  required: true,
                },
              },
            },
          },
          counts: {
            type: 'object',
            required: true,
            additionalProperties: false,
            properties: {
              pending: { type: 'integer', required: true },
              inProgress: { type: 'integer', required: true },
              completed: { type: 'integer', required: true },
            },
          },
        },
      },
      render: (_args, { todos }) => [
        {
          type: 'text',
          text:
            todos.length === 0
              ? '(no tasks)'
              : todos.map(({ content, status }) => `${MARKS[status]} ${content}`).join('\n'),
        },
      ],
    },
    execute({ todos }, exec) {
      const list = todos.map(({ content, status }) => ({ content: content.trim(), status }))
      checkTodos(list, options)
      services.writeTodos(exec, list)
      const count = (wanted: TodoItem['status']): number =>
        list.filter(({ status }) => status === wanted).length
      return {
        todos: list,
        counts: {
          pending: count('pending'),
          inProgress: count('in_progress'),
          completed: count('completed'),
        },
      }
    },
  })
}

function checkTodos(list: readonly TodoItem[], { allowParallelInProgress }: TodoOptions): void {
  if (list.some(({ content }) => content === '')) throw toolError('a task has no content')
  if (new Set(list.map(({ content }) => content)).size < list.length)
    throw toolError('two tasks have the same content')
  const running = list.filter(({ status }) => status === 'in_progress').length
  if (running > 1 && !allowParallelInProgress)
    throw toolError(`${running} tasks are in progress; one at a time may be`)
}
