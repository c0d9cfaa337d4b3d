import { randomUUID } from 'node:crypto'
import { CaissonError } from '../errors/caisson-error.ts'
import { freezeDeep } from '../json/freeze.ts'
import { materializeJson } from '../json/materialize.ts'
import { parseContent } from '../pipeline/parse-content.ts'
import type { SessionLog } from '../session/log/session-log.ts'
import type { AgentRef } from '../types/call.ts'
import type { ListenOptions, Subscribe } from '../types/listeners.ts'
import type { JsonValue } from '../types/json.ts'
import { AGENT_BRAND, type AgentState } from './agent-state.ts'
import { checkEventName } from './event-names.ts'
import { checkAlive, disposedError } from './alive.ts'
import type { Kernel } from './kernel.ts'
import { createStepper, type StepOptions, type StepResult, type ToolCallBlock } from './step.ts'
import { createToolsApi, type AgentToolsApi } from './tools-api.ts'

/** A notice for the next model request. */
export interface Notice {
  readonly content: unknown
  readonly source: { readonly kind: string; readonly [key: string]: unknown }
}

/** Somebody who calls tools: a view of the tools, listeners of its own, and an inbox. */
export interface Agent extends AgentRef, AsyncDisposable {
  readonly session: {
    readonly id: string
    readonly header: { readonly cwd: string }
    readonly events: readonly []
  }
  readonly tools: AgentToolsApi
  readonly on: Subscribe
  /** Runs all tool calls of one assistant message; one step at a time. */
  step(calls: readonly ToolCallBlock[], options?: StepOptions): Promise<StepResult>
  /** Queues a notice the next model request will see. It wakes nobody. */
  inject(notice: Notice): void
  /** Takes the notices nobody has seen yet. */
  takeNotices(): JsonValue[]
  /** Ends what runs, then removes everything of this agent. */
  dispose(): Promise<void>
}

interface AgentSpec {
  readonly id: string
  readonly sessionId: string
  readonly log: SessionLog
  readonly cards: boolean
  readonly parent: Agent | undefined
  nextStep(): number
}

/** Creates an agent and the host's record of it. */
export function createAgent(kernel: Kernel, spec: AgentSpec): { agent: Agent; state: AgentState } {
  const outer = spec.parent === undefined ? undefined : kernel.agentStateOf(spec.parent)
  if (outer !== undefined) checkAlive(outer)
  const scope = kernel.createScope(spec.id, outer?.scope ?? kernel.root)
  const check = (): void => {
    if (kernel.closed) throw new CaissonError('HOST_CLOSED', 'the host is closed')
    checkAlive(state)
  }
  const agent: Agent & { readonly [AGENT_BRAND]: true } = {
    [AGENT_BRAND]: true,
    id: spec.id,
    session: Object.freeze({
      id: spec.sessionId,
      header: Object.freeze({ cwd: kernel.spec.workspace }),
      events: Object.freeze([]) as readonly [],
    }),
    get tools() {
      return tools
    },
    on(event: string, fn: unknown, options?: ListenOptions) {
      check()
      checkEventName(event)
      return scope.hub.on(event, fn, options)
    },
    async step(calls, options) {
      check()
      return stepper.run(calls, options)
    },
    inject(notice) {
      check()
      const message = parseNotice(notice)
      state.inbox.push({ id: randomUUID(), message })
      kernel.heard(state, message)
      if (state.step === undefined) kernel.journal.deliver(state)
    },
    takeNotices() {
      check()
      return kernel.journal.takeNotices(state)
    },
    dispose: () => (disposal ??= disposeAgent(kernel, state)),
    [Symbol.asyncDispose]: () => agent.dispose(),
  }
  const state: AgentState = {
    ref: agent,
    scope,
    log: spec.log,
    cards: spec.cards,
    parent: outer,
    live: new Set(),
    inbox: [],
    logged: 0,
    step: undefined,
    disposed: false,
    idle: () => stepper.idle(),
  }
  let disposal: Promise<void> | undefined
  const tools = createToolsApi(kernel, scope, agent, check)
  const stepper = createStepper(kernel, state, spec.nextStep)
  kernel.bindAgent(state)
  return { agent: Object.freeze(agent), state }
}

// The agents below it inherit from it, so they end with it.
async function disposeAgent(kernel: Kernel, state: AgentState): Promise<void> {
  const family = kernel.familyOf(state)
  for (const member of family) member.disposed = true
  for (const member of family) {
    const cause = disposedError(member)
    for (const call of member.live) call.interrupt.fire('AGENT_DISPOSED', cause)
  }
  await Promise.all(family.flatMap((member) => [member.idle(), kernel.settled(member)]))
  for (const { ref, inbox } of family) {
    if (inbox.length === 0) continue
    kernel.diagnose(`agent '${ref.id}' was disposed; ${inbox.length} notices were dropped`)
    inbox.length = 0
  }
  for (const member of family) kernel.unbindAgent(member)
}

function parseNotice(notice: unknown): JsonValue {
  const copy = freezeDeep(materializeJson(notice, { where: 'notice' }))
  const { content, source } = Object(copy) as { content?: JsonValue; source?: JsonValue }
  const kind: unknown = Object(source).kind
  const isContent = typeof content === 'string' || !('problem' in parseContent(content))
  if (isContent && typeof kind === 'string') return copy
  throw new CaissonError(
    'INVALID_ARGS',
    'inject(): a notice has content and a source with a kind',
    {
      violations: ['content must be text or content blocks', 'source.kind must be a string'],
    },
  )
}
