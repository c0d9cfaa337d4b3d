import type { CallPlace } from '../policies/auto-approval/host-seam.ts'
import type { AgentRef, Execution } from '../types/call.ts'
import type { Agent } from './agent.ts'
import type { AgentState } from './agent-state.ts'
import type { Kernel } from './kernel.ts'

const MAX_PARENTS = 64
/** Counters of calls without a session, and of those whose line of parents cannot be followed. */
const NO_SESSION = 'none'
const ORPHAN = 'orphan'

/** Finds whose call an execution is, in the folder `cwd`; `isGoverned` says how a root session was opened. */
export function placeOf(
  kernel: Pick<Kernel, 'agentStateOf'>,
  { cwd, isGoverned }: { readonly cwd: string; isGoverned(root: string): boolean },
  { agent }: Pick<Execution, 'agent'>,
): CallPlace {
  const nowhere = { governed: true, session: undefined, agent: agent?.id, isSubagent: false, cwd }
  if (agent === undefined) return { root: NO_SESSION, ...nowhere }
  const state = stateOf(kernel, agent)
  if (state === undefined) return { root: ORPHAN, ...nowhere }
  const session = sessionOf(state)
  const top = rootOf(state)
  const root = top === undefined ? ORPHAN : sessionOf(top)
  return {
    root,
    governed: top === undefined || isGoverned(root),
    session,
    agent: agent.id,
    isSubagent: state.parent !== undefined,
    cwd,
  }
}

/** The session an agent belongs to. */
export function sessionOf({ ref }: AgentState): string {
  return (ref as unknown as Agent).session.id
}

/** The agent at the head of the line of parents; undefined when it is too long to be one. */
export function rootOf(state: AgentState): AgentState | undefined {
  let at = state
  for (let steps = 0; at.parent !== undefined; steps++) {
    if (steps >= MAX_PARENTS) return undefined
    at = at.parent
  }
  return at
}

function stateOf(kernel: Pick<Kernel, 'agentStateOf'>, agent: AgentRef): AgentState | undefined {
  try {
    return kernel.agentStateOf(agent)
  } catch {
    return undefined // Somebody else's agent: governed all the same.
  }
}
