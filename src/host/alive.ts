import { CaissonError } from '../errors/caisson-error.ts'
import type { AgentState } from './agent-state.ts'

/** Throws `AGENT_DISPOSED` when the agent, or one above it, was disposed. */
export function checkAlive(agent: AgentState): void {
  const disposed = findDisposed(agent)
  if (disposed !== undefined) throw disposedError(disposed)
}

/** The agent, or the nearest above it, that was disposed. */
export function findDisposed(agent: AgentState): AgentState | undefined {
  for (let at: AgentState | undefined = agent; at !== undefined; at = at.parent) {
    if (at.disposed) return at
  }
  return undefined
}

/** Whether a member is the agent or below it. */
export function isBelow(member: AgentState, agent: AgentState): boolean {
  for (let at: AgentState | undefined = member; at !== undefined; at = at.parent) {
    if (at === agent) return true
  }
  return false
}

/** The error of anything asked of a host after it began to close. */
export function closedError(): CaissonError {
  return new CaissonError('HOST_CLOSED', 'the host is closed')
}

/** The error of anything asked of an agent after its disposal. */
export function disposedError(agent: AgentState): CaissonError {
  return new CaissonError('AGENT_DISPOSED', `agent '${agent.ref.id}' was disposed`)
}
