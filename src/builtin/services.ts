import type { FsScene } from '../broker/fs/reach.ts'
import type { RunExecution } from '../types/call.ts'
import type { TodoItem } from '../types/events.ts'

/** What the tools of the pack use of their host, each under the grants of the call that asks. */
export interface BuiltinServices {
  /** Throws `CAPABILITY_DENIED` when the call is granted no files. */
  files(exec: RunExecution): FsScene
  /** A path as the file broker names it: an absolute one of the workspace becomes relative. */
  toToolPath(path: string): string
  /**
   * A folder as segments below the workspace, empty for the workspace itself. Throws
   * `FS_SANDBOX_DENIED` for what is no plain path below it.
   */
  toFolder(path: string): string
  /** Records the agent's list of tasks. Throws `TOOL_ERROR` for a call without an agent. */
  writeTodos(exec: RunExecution, todos: readonly TodoItem[]): void
}
