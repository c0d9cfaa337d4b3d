import type { CallToolResult } from '@modelcontextprotocol/client'
import { isCaissonError } from '../errors/caisson-error.ts'
import { notStarted, type UntimedOutcome } from '../engine/process/command-outcome.ts'
import { toDeath } from '../engine/shared/death.ts'
import type {
  BodyJob,
  BodyOutcome,
  Lane,
  ProjectionJob,
  ProjectionOutcome,
  ToolBody,
} from '../types/engine.ts'
import type { JsonValue } from '../types/json.ts'
import { callTool, type Connection } from './connection.ts'
import { toReason } from './reason.ts'
import type { Supervisor } from './supervisor.ts'

export interface McpBodySpec {
  readonly supervisor: Supervisor
  readonly lane: Lane
  /** What the server calls the tool. */
  readonly tool: string
  /** Why it may not be called now; undefined when it may. */
  blocked(): string | undefined
}

const PING_MS = 250

/** The body of a server's tool. A call that its server does not let go of ends the server. */
export function createMcpBody(spec: McpBodySpec): ToolBody {
  return {
    engine: 'process',
    lane: spec.lane,
    run: (job) => run(spec, job),
    project: (job) => Promise.resolve(project(job)),
  }
}

async function run(spec: McpBodySpec, job: BodyJob): Promise<BodyOutcome> {
  const entered = performance.now()
  const place = findBlocked(spec) ?? (await open(spec, job))
  const begun = performance.now()
  const prepareMs = begun - entered
  if ('kind' in place) return { ...place, prepareMs, bodyMs: 0 }
  // It may have been started anew for this call, and say something else of its tools now.
  const changed = findBlocked(spec)
  if (changed !== undefined) return { ...changed, prepareMs, bodyMs: 0 }
  job.services.bodyStarted()
  const outcome = await converse(spec, place, job)
  return { ...outcome, prepareMs, bodyMs: performance.now() - begun }
}

function findBlocked(spec: McpBodySpec): UntimedOutcome | undefined {
  const why = spec.blocked()
  return why === undefined ? undefined : notStarted('UNKNOWN_TOOL', why, { changed: true })
}

async function open(spec: McpBodySpec, job: BodyJob): Promise<Connection | UntimedOutcome> {
  try {
    const connection = await spec.supervisor.connection(job.signal)
    return job.signal.aborted ? { kind: 'stopped', started: false } : connection
  } catch (error) {
    if (job.signal.aborted) return { kind: 'stopped', started: false }
    if (isCaissonError(error)) return notStarted(error.code, error.message, error.facts)
    return notStarted('ENGINE_UNAVAILABLE', 'the server of this tool is not there')
  }
}

async function converse(
  spec: McpBodySpec,
  connection: Connection,
  job: BodyJob,
): Promise<UntimedOutcome> {
  const died = connection.ended.then((death) => ({ death }))
  const { traceparent } = job
  const answered = callTool(
    connection,
    {
      name: spec.tool,
      arguments: { ...(job.exec.arguments as Record<string, unknown>) },
      ...(traceparent === undefined ? {} : { _meta: { traceparent } }),
    },
    { signal: job.signal, onprogress: (update) => job.services.progress(toProgress(update)) },
  ).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  )
  const first = await Promise.race([answered, died])
  if (job.signal.aborted) {
    await letGo(spec, connection, job.graceMs)
    return { kind: 'stopped', started: true }
  }
  // Its connection is closed a moment before its end is told.
  if ('death' in first || connection.hasEnded || connection.client.transport === undefined) {
    const { death } = 'death' in first ? first : await died
    const fallback = { cause: 'exit' as const, detail: '', lifetimeMs: 0 }
    return toDeath({ by: 'died', death: death ?? fallback }, true)
  }
  if ('error' in first) return { kind: 'threw', thrown: toThrown(first.error) }
  spec.supervisor.worked()
  return toOutcome(first.result)
}

/**
 * The server was told to cancel. One that still answers goes on for the others; one that does not has
 * to end, or the cancelled work would go on for ever.
 */
async function letGo(spec: McpBodySpec, connection: Connection, graceMs: number): Promise<void> {
  const timeout = Math.max(PING_MS, graceMs)
  const alive = await connection.client.ping({ timeout }).then(
    () => true,
    () => false,
  )
  if (alive || connection.hasEnded) return
  spec.supervisor.kill('it did not let go of a cancelled call')
  await connection.ended
}

function toOutcome({ content, structuredContent, isError }: CallToolResult): UntimedOutcome {
  if (isError === true) {
    const text = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    const message = text.join('\n') || 'the tool reported an error and did not say which'
    return { kind: 'threw', thrown: { name: 'McpToolError', message } }
  }
  const blocks = content as unknown as JsonValue
  const value = structuredContent === undefined ? { content: blocks } : structuredContent
  const shown = content.length === 0 ? [{ type: 'text', text: JSON.stringify(value) }] : blocks
  return {
    kind: 'returned',
    value,
    projection: { render: { kind: 'returned', value: shown } },
  }
}

function toThrown(error: unknown): { readonly name: string; readonly message: string } {
  const { name } = error instanceof Error ? error : new Error()
  return { name, message: toReason(error) }
}

function toProgress(update: {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}): { progress: number; total?: number; message?: string } {
  const { progress, total, message } = update
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: message.slice(0, 1_024) }),
  }
}

// A value that policy replaced: what a server would say of it nobody knows.
function project({ kind, input }: ProjectionJob): ProjectionOutcome {
  if (kind !== 'render') return { kind: 'failed', message: `a server's tool has no ${kind}` }
  const value: JsonValue = input[1] ?? null
  const { content } = Object(value) as { content?: JsonValue }
  if (Array.isArray(content)) return { kind: 'returned', value: content }
  return { kind: 'returned', value: [{ type: 'text', text: JSON.stringify(value, null, 2) }] }
}
