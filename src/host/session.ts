import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import { createMemoryLog } from '../session/log/memory-log.ts'
import { openSessionLog } from '../session/log/open.ts'
import type { SessionLog } from '../session/log/session-log.ts'
import { SHARED_LOG, type SharedLog } from '../session/log/shared-log.ts'
import type { FileObservation, SessionLine } from '../types/events.ts'
import { createAgent, type Agent } from './agent.ts'
import type { AgentState } from './agent-state.ts'
import type { Kernel } from './kernel.ts'

export interface SessionOptions {
  /** Path of the JSONL log; without one events are only announced. Reopening repairs a crash. */
  readonly log?: string
  /** Store the cards that tools draw, so that a replay shows them without running anything. */
  readonly cards?: boolean
  /** `none`: calls of this session pass the guards and nothing of the approval pack. */
  readonly policy?: 'auto-approval' | 'none'
  /** Instead of `log`: a file that sessions of other hosts write as well. */
  readonly [SHARED_LOG]?: SharedLog
}

/** One record of what agents did. */
export interface Session extends AsyncDisposable {
  readonly id: string
  readonly log: string | undefined
  /**
   * The agent of that id, created on first use; `parent` puts it below another. Throws
   * `CONFIG_INVALID` when the agent exists below somebody else, `AGENT_DISPOSED` for a dead parent.
   */
  agent(id: string, options?: { readonly parent?: Agent }): Agent
  /** Disposes the agents and gives the log back. */
  close(): Promise<void>
}

/** Opens a session. Throws `CONFIG_INVALID` when the log cannot be used or somebody else writes it. */
export function openSession(kernel: Kernel, id: string, options: SessionOptions = {}): Session {
  if (kernel.closed) throw new CaissonError('HOST_CLOSED', 'the host is closed')
  const agents = new Map<string, { state: AgentState; agent: Agent }>()
  const observe = (line: SessionLine): void => {
    if (line.type === 'fs/observed') return // Announced by the gates, with their own arguments.
    const known = line.agent === null ? undefined : agents.get(line.agent)
    kernel.emit(known?.state.scope ?? kernel.root, line.type, line)
  }
  const seen = createMemory()
  const restore = (line: SessionLine): void => {
    seen.note(line)
    if (line.type !== 'context/message' || line.data.from !== 'inject') return
    kernel.heard(id, line.data.message)
  }
  const hooks = { observe, diagnostic: kernel.diagnose, restore }
  const shared = options[SHARED_LOG]
  const path = shared?.path ?? (options.log === undefined ? undefined : resolve(options.log))
  const log: SessionLog =
    shared?.join(hooks) ??
    (path === undefined ? createMemoryLog(hooks) : openSessionLog(path, hooks))
  if (path !== undefined) kernel.protect(realpathSync(path))
  let steps = log.lastStep
  const close = async (): Promise<void> => {
    await Promise.all([...agents.values()].map(({ agent }) => agent.dispose()))
    log.close()
  }
  return {
    id,
    log: path,
    agent(agentId, { parent } = {}) {
      if (kernel.closed) throw new CaissonError('HOST_CLOSED', 'the host is closed')
      const known = agents.get(agentId)
      if (known !== undefined && !known.state.disposed) {
        if (parent === undefined || known.state.parent?.ref === parent) return known.agent
        throw new CaissonError('CONFIG_INVALID', `agent '${agentId}' has another parent`)
      }
      const made = createAgent(kernel, {
        id: agentId,
        sessionId: id,
        log,
        cards: options.cards === true,
        parent,
        nextStep: () => (steps += 1),
      })
      agents.set(agentId, made)
      kernel.restoreFiles(made.agent, seen.take(agentId))
      return made.agent
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** What agents of an earlier run had seen of files, by agent and file. */
function createMemory(): {
  note(line: SessionLine): void
  take(agent: string): ReadonlyMap<string, FileObservation>
} {
  const seen = new Map<string, Map<string, FileObservation>>()
  return {
    note(line) {
      if (line.type !== 'fs/observed' || line.agent === null) return
      const { target, observation } = line.data
      const known = seen.get(line.agent) ?? new Map<string, FileObservation>()
      seen.set(line.agent, known.set(target.targetKey, observation))
    },
    take(agent) {
      const known = seen.get(agent) ?? new Map<string, FileObservation>()
      seen.delete(agent) // An agent made anew under the name has seen nothing.
      return known
    },
  }
}
