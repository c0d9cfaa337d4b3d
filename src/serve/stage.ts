import type { Agent } from '../host/agent.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import { createRelay, type Relay } from './relay.ts'

/** Tools that are served: their host, and who calls them there. */
export interface ToolStage {
  readonly host: ToolHost
  /** Whether clients hear of progress. */
  readonly progress: boolean
  /** Somebody new who calls tools; `close` when nobody calls through it any more. */
  openAgent(): { readonly agent: Agent; close(): Promise<void> }
}

/** A stage while requests come to it. */
export interface OpenStage {
  readonly host: ToolHost
  readonly relay: Relay
  /** The agent of a connection, the same for all of its requests. */
  agentOf(connection: object): Agent
  /** The connection has ended. */
  leave(connection: object): Promise<void>
  /** Requests that are not answered yet. */
  readonly running: number
  /** Counts a request until it is answered. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when no request and no call is under way. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Opens a stage; `changed` hears that its tools are others now. */
export function openStage(
  { host, progress, openAgent }: ToolStage,
  changed: () => void,
): OpenStage {
  const relay = createRelay(host, progress)
  const off = host.on('tools/change', changed)
  const agents = new Map<object, ReturnType<ToolStage['openAgent']>>()
  const waiters = new Set<() => void>()
  let running = 0
  const answered = (): Promise<void> =>
    running === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          waiters.add(resolve)
        })
  return {
    host,
    relay,
    get running() {
      return running
    },
    agentOf(connection) {
      const known = agents.get(connection) ?? openAgent()
      agents.set(connection, known)
      return known.agent
    },
    async leave(connection) {
      const known = agents.get(connection)
      agents.delete(connection)
      await known?.close()
    },
    async track(work) {
      running += 1
      try {
        return await work
      } finally {
        running -= 1
        if (running === 0) for (const resolve of waiters) resolve()
      }
    },
    async idle() {
      await answered()
      // A call goes on while its client makes up its mind.
      await host.idle()
      await answered()
    },
    async close() {
      off()
      relay.close()
      await Promise.all([...agents.values()].map((agent) => agent.close()))
      agents.clear()
    },
  }
}
