import { setTimeout as sleep } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import type { McpServerEntry } from '../config/operator-schema.ts'
import type { ProcessEngine } from '../engine/process/engine.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import type { Lane, ToolBody, ToolManifest } from '../types/engine.ts'
import type { JsonObject } from '../types/json.ts'
import type { SandboxProfile } from '../types/profile.ts'
import { connectProgram, connectUrl, type Connection } from './connection.ts'
import { listTools } from './list-tools.ts'
import { hashTool, type Pins } from './pins.ts'
import { resolveCommand } from './resolve-command.ts'
import { createSupervisor } from './supervisor.ts'
import { createMcpBody } from './tool-body.ts'
import { toToolName } from './tool-name.ts'

export interface McpServerSpec {
  readonly name: string
  readonly entry: McpServerEntry
  readonly profile: SandboxProfile
  /** Folder that relative paths of the entry start in. */
  readonly base: string
  readonly workspace: string
  readonly programs: Pick<ProcessEngine, 'serve'>
  readonly pins: Pins
  readonly version: string
  readonly timeoutMs: number
  /** Of the host, for `${NAME}` in `env` and `headers`. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>
  diagnose(text: string): void
  /** A tool has appeared that was not there when the server was loaded. */
  added(tools: readonly McpTool[]): void
  /** Names of tools that are not there any more. */
  removed(names: readonly string[]): void
}

/** One tool of a server, unchecked. */
export interface McpTool {
  readonly manifest: ToolManifest
  readonly destructive: boolean
  readonly readOnly: boolean
  readonly idempotent: boolean
  readonly body: ToolBody
}

/** A server whose tools can be registered. */
export interface LoadedServer {
  readonly tools: readonly McpTool[]
  dispose(): Promise<void>
}

const SLOTS = 16
const CLOSE_GRACE_MS = 500
/** Names of one server that are remembered, whatever it goes on to offer. */
const MAX_PINNED = 2_000
/** Between two looks at what a server offers; doubled while it goes on to say that it has changed. */
const MIN_GAP_MS = 100
const MAX_GAP_MS = 30_000
const QUIET_GAPS = 20

/** Starts a server and asks for its tools. Throws `LOAD_FAILED`, `CONFIG_INVALID` or `SANDBOX_UNAVAILABLE`. */
export async function loadServer(spec: McpServerSpec): Promise<LoadedServer> {
  const key = `${spec.name}:${digestOf(spec.entry)}`
  const known = new Map<string, McpTool>()
  const changed = new Set<string>()
  const lane: Lane = { name: `mcp:${spec.name}`, slots: SLOTS }
  const diagnose = (text: string): void => spec.diagnose(`mcp server '${spec.name}': ${text}`)
  const toTool = (tool: Tool): McpTool => ({
    ...toManifest(spec.name, tool),
    body: createMcpBody({
      supervisor,
      lane,
      tool: tool.name,
      blocked: () =>
        changed.has(tool.name)
          ? `the server has changed what it says of '${tool.name}' since that was approved; approve it anew: caisson mcp approve ${spec.name}`
          : undefined,
    }),
  })
  /** Takes what is offered as seen, or finds what is not as it was. */
  const review = (offered: readonly Tool[]): McpTool[] => {
    const pinned = spec.pins.of(key)
    const unseen = new Map<string, string>()
    const fresh: McpTool[] = []
    let excess = 0
    for (const tool of offered) {
      const hash = hashTool(tool)
      const before = pinned.get(tool.name)
      if (before === undefined && pinned.size + unseen.size >= MAX_PINNED) {
        excess += 1
        continue
      }
      if (before === undefined) unseen.set(tool.name, hash)
      if (before === undefined || before === hash) changed.delete(tool.name)
      else if (!changed.has(tool.name)) {
        changed.add(tool.name)
        diagnose(`tool '${tool.name}' is not what was approved any more; it is not called`)
      }
      if (known.has(tool.name)) continue
      const made = toTool(tool)
      known.set(tool.name, made)
      fresh.push(made)
    }
    if (unseen.size > 0) spec.pins.add(key, unseen)
    if (excess > 0) diagnose(`${excess} tools are left out: ${MAX_PINNED} names are known already`)
    return fresh
  }
  /** Forgets what is not offered any more; what comes back is pinned as it was. */
  const forget = (offered: readonly Tool[]): string[] => {
    const names = new Set(offered.map(({ name }) => name))
    const gone = [...known].filter(([name]) => !names.has(name))
    for (const [name] of gone) known.delete(name)
    return gone.map(([, { manifest }]) => manifest.name)
  }
  let isLoaded = false
  const look = async (connection: Connection): Promise<void> => {
    const offered = await listTools(connection, { timeoutMs: spec.timeoutMs, diagnose })
    const gone = forget(offered)
    const fresh = review(offered)
    if (isLoaded && gone.length > 0) spec.removed(gone)
    if (isLoaded && fresh.length > 0) spec.added(fresh)
  }
  const lookAgain = createLatest(async () => {
    await look(await supervisor.connection(new AbortController().signal))
  })
  const supervisor = createSupervisor({
    graceMs: CLOSE_GRACE_MS,
    diagnose,
    start: () => open(spec, diagnose, lookAgain),
    started: look,
  })
  try {
    await supervisor.connection(new AbortController().signal)
    isLoaded = true
    return { tools: [...known.values()], dispose: () => supervisor.close() }
  } catch (error) {
    await supervisor.close()
    throw error
  }
}

/**
 * Runs `work` for whoever asks, one at a time: who asks meanwhile is served by the next. Whoever asks
 * again and again waits longer each time.
 */
function createLatest(work: () => Promise<void>): () => void {
  let isRunning = false
  let isAsked = false
  let ended = -Infinity
  let gapMs = MIN_GAP_MS
  const run = async (): Promise<void> => {
    isRunning = true
    while (isAsked) {
      const since = performance.now() - ended
      gapMs = since > QUIET_GAPS * gapMs ? MIN_GAP_MS : Math.min(2 * gapMs, MAX_GAP_MS)
      if (since < gapMs) await sleep(gapMs - since, undefined, { ref: false })
      isAsked = false
      // What cannot be looked at now is looked at when it is started again.
      await work().catch(() => undefined)
      ended = performance.now()
    }
    isRunning = false
  }
  return () => {
    isAsked = true
    if (!isRunning) void run()
  }
}

async function open(
  spec: McpServerSpec,
  diagnose: (text: string) => void,
  changed: () => void,
): Promise<Connection> {
  const { name, entry, version, timeoutMs, hostEnv } = spec
  let said = 0
  const options = {
    version,
    timeoutMs,
    changed,
    diagnose,
    stderr(chunk: Buffer) {
      said += chunk.length
      if (said <= MAX_STDERR) diagnose(chunk.toString('utf8').trimEnd())
    },
  }
  const fill = (text: string): string => fillIn(name, text, hostEnv)
  if (entry.url !== undefined) {
    const headers = Object.entries(entry.headers ?? {}).map(([key, value]) => [key, fill(value)])
    return await connectUrl(entry.url, Object.fromEntries(headers), options)
  }
  const env = Object.entries(entry.env ?? {}).map(([key, value]) => [key, fill(value)])
  const given = { ...entry, env: Object.fromEntries(env) as Record<string, string> }
  const command = resolveCommand(name, given, spec)
  const server = await spec.programs.serve({ ...command, profile: spec.profile })
  return await connectProgram(server, options)
}

const MAX_STDERR = 64 * 1024

/** `${NAME}` stands for a variable of the host; an unknown one is an error, not an empty text. */
function fillIn(
  name: string,
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_all, variable: string) => {
    const value = env[variable]
    if (value !== undefined) return value
    throw new CaissonError('CONFIG_INVALID', `mcpServers.${name}: ${variable} is not set`)
  })
}

function toManifest(server: string, tool: Tool): Omit<McpTool, 'body'> {
  const { name, description = '', inputSchema, outputSchema, annotations = {} } = tool
  return {
    manifest: {
      name: toToolName(server, name),
      description,
      parameters: inputSchema as unknown as JsonObject,
      outputSchema: (outputSchema ?? {}) as unknown as JsonObject,
      defined: false,
      projections: ['render'],
    },
    destructive: annotations.readOnlyHint !== true && annotations.destructiveHint === true,
    readOnly: annotations.readOnlyHint === true,
    idempotent: annotations.idempotentHint === true,
  }
}

function digestOf({ command, args, url }: McpServerEntry): string {
  const text = JSON.stringify([command, args, url])
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
