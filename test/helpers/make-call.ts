import type { CallInput, CallResult, CallSuccess, CallFailed } from '../../src/types/call.ts'
import type { ToolDefinition } from '../../src/types/tool.ts'

let calls = 0

/** Input of one call with a fresh call id and a signal that nobody aborts; `extra` replaces fields. */
export function makeCall(
  name: string,
  args: unknown = {},
  extra: Partial<CallInput> = {},
): CallInput {
  calls += 1
  const signal = new AbortController().signal
  return { callId: `call-${calls}`, name, arguments: args, signal, ...extra }
}

/**
 * A raw definition that takes any object, returns `{ echo: <arguments> }` and renders it as JSON
 * text; `extra` replaces fields.
 */
export function makeTool(name: string, extra: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: `tool ${name}`,
    parameters: { type: 'object' },
    output: {
      schema: {},
      render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }],
    },
    execute: (args: unknown) => ({ echo: args }),
    ...extra,
  }
}

/** A tool that may be tried again, throws that often, and then returns how often it was tried. */
export function makeFlaky(failures: number, minTimeoutMs: number = 1): ToolDefinition {
  let tries = 0
  return makeTool('flaky', {
    idempotent: true,
    retry: { retries: failures, minTimeoutMs },
    execute() {
      tries += 1
      if (tries <= failures) throw new Error('not yet')
      return tries
    },
  })
}

/** The result as a success. Throws with the failure's text when it is none. */
export function toSuccess(result: CallResult): CallSuccess {
  if (!result.isError) return result
  throw new Error(`expected a success, got ${result.error.code}: ${result.error.message}`)
}

/** The result as a failure. Throws when it is a success. */
export function toFailed(result: CallResult): CallFailed {
  if (result.isError) return result
  throw new Error(`expected a failure, got the value ${JSON.stringify(result.value)}`)
}

/** What a call was rejected with, or the text `resolved`. */
export function toRejection(running: Promise<CallResult>): Promise<unknown> {
  return running.then(
    () => 'resolved',
    (error: unknown) => error,
  )
}
