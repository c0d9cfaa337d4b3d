import type { ApprovalJournal } from '../approval/service.ts'
import type { Call } from '../pipeline/call.ts'
import type { Registration } from '../registry/registration.ts'
import type { CallResult, ToolProgress } from '../types/call.ts'
import { toResultData } from '../session/log/to-result-data.ts'
import type { ProjectionKind } from '../types/engine.ts'
import type { SessionEvent, SessionEventData, SessionEventType } from '../types/events.ts'
import { genericCallCard, genericResultCard } from '../cards/generic-card.ts'
import { parseCallView, parseResultView } from '../cards/parse-view.ts'
import type { JsonValue } from '../types/json.ts'
import type { ToolCallView, ToolResultView } from '../types/view.ts'
import type { AgentState } from './agent-state.ts'

/** Writes what happens to a call into its agent's session, and tells live listeners. */
export interface Journal extends ApprovalJournal {
  begin(call: Call): void | Promise<void>
  commit(call: Call, result: CallResult): void | Promise<void>
  log(call: Call, level: string, text: string): void
  /** Records what a call saw of a file. */
  observed(call: Call, data: SessionEventData['fs/observed']): void
  progress(call: Call, update: ToolProgress): void
  /** Appends one event of `agent` and returns its sequence number. */
  append<T extends SessionEventType>(agent: AgentState, type: T, data: SessionEventData[T]): number
  /** Records the notices that are not in the log yet, in order of arrival. */
  deliver(agent: AgentState): void
  /** Takes the recorded notices; during a step the others stay until its end. */
  takeNotices(agent: AgentState): JsonValue[]
}

export interface JournalHost {
  agentOf(call: Call): AgentState | undefined
  emit(scope: Call['scope'], event: string, ...args: unknown[]): void
}

/** Creates the journal of a host. Calls without an agent are heard by listeners and not recorded. */
export function createJournal(host: JournalHost): Journal {
  const callSeq = new WeakMap<Call, number>()
  const append: Journal['append'] = (agent, type, data) => {
    const step = agent.step === undefined ? {} : { step: agent.step }
    return agent.log.append({ type, agent: agent.ref.id, ...step, data } as SessionEvent)
  }
  const record = <T extends SessionEventType>(
    call: Call,
    type: T,
    data: SessionEventData[T],
  ): void => {
    const agent = host.agentOf(call)
    if (agent !== undefined) append(agent, type, data)
  }
  const beginWith = (call: Call, card: ToolCallView | undefined): void => {
    const agent = host.agentOf(call)
    if (agent === undefined) return
    const { callId, name } = call.exec
    const args = call.exec.arguments === undefined ? null : call.exec.arguments
    const shown = card === undefined ? {} : { card }
    callSeq.set(call, append(agent, 'tool/call', { callId, name, arguments: args, ...shown }))
  }
  // What a nested call shows is part of what the outer one shows.
  const drawsCards = (call: Call): boolean =>
    call.exec.parent === undefined && host.agentOf(call)?.cards === true
  const commitWith = (call: Call, result: CallResult, card: ToolResultView | undefined): void => {
    const seq = callSeq.get(call)
    if (seq === undefined) return
    const logged = { callId: call.exec.callId, seq }
    record(call, 'tool/result', toResultData(logged, result, card))
  }
  // An observer may inject while it is told of a notice: each is counted before it is announced.
  const deliver = (agent: AgentState): void => {
    for (let entry = agent.inbox[agent.logged]; entry; entry = agent.inbox[agent.logged]) {
      agent.logged += 1
      append(agent, 'context/message', { message: entry.message, from: 'inject' })
    }
  }
  return {
    append,
    deliver,
    takeNotices(agent) {
      if (agent.step === undefined) deliver(agent)
      const taken = agent.inbox.splice(0, agent.logged)
      agent.logged = 0
      return taken.map(({ message }) => message)
    },
    begin(call) {
      if (!drawsCards(call)) return beginWith(call, undefined)
      return callCard(call).then((card) => beginWith(call, card))
    },
    commit(call, result) {
      if (!drawsCards(call)) return commitWith(call, result, undefined)
      return resultCard(call, result).then((card) => commitWith(call, result, card))
    },
    asked: (call, event) =>
      record(call, 'approval/asked', {
        ...event,
        toolName: call.exec.name,
        callId: call.exec.callId,
      }),
    decided: (call, event) => record(call, 'approval/decided', event),
    log(call, level, text) {
      try {
        record(call, 'tool/log', { callId: call.exec.callId, level, text })
      } catch (error) {
        // The body is not to blame, and must not go on unrecorded; recording its result fails too.
        call.interrupt.fire('ABORTED', error)
      }
    },
    observed(call, data) {
      try {
        record(call, 'fs/observed', data)
      } catch (error) {
        call.interrupt.fire('ABORTED', error) // As for a log entry.
      }
    },
    progress: (call, update) => host.emit(call.scope, 'tools/progress', call.exec, update),
  }
}

/** The pending card of a call: what its tool draws, else the generic one. Never rejects. */
async function callCard({ registration, exec }: Call): Promise<ToolCallView> {
  const generic = (): ToolCallView => genericCallCard(exec.name, exec.arguments ?? null)
  if (!presents(registration, 'presentCall', exec.arguments)) return generic()
  const answer = await registration.body.project({ kind: 'presentCall', input: [exec.arguments] })
  return (answer.kind === 'returned' ? parseCallView(answer.value) : undefined) ?? generic()
}

/** The completed card of a result, likewise; the tool never sees the canonical value. */
async function resultCard(
  { registration, exec }: Call,
  result: CallResult,
): Promise<ToolResultView> {
  const { content, isError, meta } = result
  const generic = (): ToolResultView => genericResultCard(content)
  if (!presents(registration, 'presentResult', exec.arguments)) return generic()
  const shown = Object.freeze({ content, isError, ...(meta === undefined ? {} : { meta }) })
  const input = [exec.arguments, shown as never]
  const answer = await registration.body.project({ kind: 'presentResult', input })
  return (answer.kind === 'returned' ? parseResultView(answer.value) : undefined) ?? generic()
}

function presents(
  registration: Registration | undefined,
  kind: ProjectionKind,
  args: JsonValue | undefined,
): registration is Registration {
  if (registration === undefined || args === undefined) return false
  return registration.projections.has(kind) && registration.validateArguments(args).length === 0
}
