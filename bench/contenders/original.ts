import { Context } from '@deepseek-ai/cordis'
import { createScope } from '@deepseek-ai/dsh-scope'
import { Session, SessionId } from '@deepseek-ai/dsh-session'
import { SystemPrompt } from '@deepseek-ai/dsh-system-prompt'
import { ToolRuntime } from '@deepseek-ai/dsh-tools'
import { ApprovalService } from '@deepseek-ai/dsh-user-approval'
import type { ToolDefinition } from '../../src/index.ts'
import type { OpenContender } from '../measure/contender.ts'
import { createDefinition } from './ours.ts'

/** The original runtime, as far as it is measured. */
export interface Original extends AsyncDisposable {
  register(definition: ToolDefinition): void
  guard(guard: () => undefined): void
  on(event: string, listener: (...args: never[]) => unknown): void
  /** Runs a call; rejects when its result is a failure. */
  execute(name: string, args: unknown): Promise<unknown>
}

interface OriginalContext {
  readonly tools: {
    register(definition: unknown): unknown
    guard(guard: unknown): unknown
    execute(input: object): Promise<{ readonly isError: boolean; readonly value?: unknown }>
  }
  on(event: string, listener: unknown): unknown
}

/** The original pipeline with its services and one session; its tools run in this thread. */
export const openOriginal: OpenContender = async (body) => {
  const original = await createOriginal()
  original.register(createDefinition(body))
  return {
    name: 'dsh-tools',
    call: (value) => original.execute(body, { value }),
    close: async () => original[Symbol.asyncDispose](),
  }
}

/** Starts the original runtime with one agent. */
export async function createOriginal(): Promise<Original> {
  const root = new Context()
  const fibers = [
    root.plugin(SystemPrompt as never, {} as never),
    root.plugin(ApprovalService as never, { policy: 'ask' } as never),
    root.plugin(ToolRuntime as never, {} as never),
  ]
  for (const fiber of fibers) await (fiber as unknown as Promise<unknown>)
  const session = Session.create(SessionId('bench'))
  session.append('turn/start', { turn: 1 } as never)
  const agent = { id: 'bench', session }
  const ready = Promise.withResolvers<Context>()
  root.inject(['tools'] as never, (ctx) => ready.resolve(ctx))
  const { ctx } = createScope(await ready.promise, agent)
  const { tools, on } = ctx as unknown as OriginalContext
  const { signal } = new AbortController()
  let calls = 0
  return {
    guard: (guard) => void tools.guard(guard),
    register: (definition) => void tools.register(definition),
    on: (event, listener) => void on.call(ctx, event, listener),
    async execute(name, args) {
      const callId = `${(calls += 1)}`
      const result = await tools.execute({ callId, name, arguments: args, signal, agent })
      if (result.isError) throw new Error(`dsh-tools: ${JSON.stringify(result)}`)
      return result.value
    },
    async [Symbol.asyncDispose]() {
      await (root.fiber as unknown as { dispose(): unknown }).dispose()
    },
  }
}
