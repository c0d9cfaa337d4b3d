import type { Attributes } from '@opentelemetry/api'
import { cutText, escapeToLine } from '../cards/escape.ts'
import type { Call } from '../pipeline/call.ts'
import type { Registration } from '../registry/registration.ts'
import type { CallResult } from '../types/call.ts'

const MAX_NAME = 128
const MAX_DESCRIPTION = 1_000
const MAX_CONTENT = 16 * 1_024

/** `extension` for a tool of an MCP server, `function` for every other. */
export function toToolType(registration: Registration | undefined): 'function' | 'extension' {
  return registration?.format === 'mcp' ? 'extension' : 'function'
}

/** What samplers get to see of a call. */
export function toStartAttributes({ exec, registration, scope }: Call): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': escapeToLine(exec.name, MAX_NAME),
    'gen_ai.tool.type': toToolType(registration),
    'gen_ai.tool.call.id': escapeToLine(exec.callId, MAX_NAME),
    ...(scope.agentId === undefined
      ? {}
      : { 'gen_ai.agent.id': escapeToLine(scope.agentId, MAX_NAME) }),
  }
}

/** What else is known of a call before it runs. */
export function toToolAttributes({ registration }: Call): Attributes {
  if (registration === undefined) return {}
  const { description, body, operator } = registration
  return {
    'gen_ai.tool.description': escapeToLine(description, MAX_DESCRIPTION),
    'caisson.engine': body.engine,
    ...(operator.profile === undefined ? {} : { 'caisson.profile': operator.profile }),
  }
}

/** How a call went; times are seconds. */
export function toResultAttributes({ timings, attempts, ...result }: CallResult): Attributes {
  return {
    'caisson.queue.duration': timings.queueMs / 1_000,
    'caisson.attempt.count': attempts.length,
    ...(result.isError ? { 'error.type': result.error.code } : {}),
  }
}

/** JSON of what a call was given or gave, cut. */
export function toContent(value: unknown): string {
  return cutText(JSON.stringify(value) ?? '', MAX_CONTENT)
}
