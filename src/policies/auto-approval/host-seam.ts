import type { AgentRef, Execution } from '../../types/call.ts'
import type { Disposer } from '../../types/decision.ts'

/** Whose call it is, and whose counters it moves. */
export interface CallPlace {
  /** Root session; `none` without one, `orphan` when its line of parents cannot be followed. */
  readonly root: string
  /** False for sessions that were opened with `policy: 'none'`. */
  readonly governed: boolean
  readonly session: string | undefined
  readonly agent: string | undefined
  readonly isSubagent: boolean
  /** Absolute folder that relative names are resolved against. */
  readonly cwd: string
}

/** What the pack needs of the host that it decides for. */
export interface PackHost {
  placeOf(exec: Execution): CallPlace
  /** Whether the call, its agent or the host has been ended. */
  isOver(exec: Execution): boolean
  /** The codes that a denial of this call carries as its fact `reasons`. */
  setCodes(exec: Execution, codes: readonly string[]): void
  /** What the model is told of a tool. */
  descriptionOf(exec: Execution): string
  /** Other calls of the root session under way. */
  countRunning(root: string): number
  /** What a user said to agents of this root session, oldest first. */
  userMessages(root: string): readonly string[]
  listen(event: string, fn: unknown, name: string): Disposer
  /** Calls back after each step of an agent; ends with the agent. */
  onStepEnd(agent: AgentRef, fn: () => void): void
  inject(agent: AgentRef, text: string): void
  diagnose(text: string): void
}
