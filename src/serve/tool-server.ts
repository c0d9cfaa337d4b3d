import { randomBytes, randomUUID } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type McpServerFactory,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { createElicitationAnswerer, type ElicitationForm } from '../approval/elicitation.ts'
import type { Agent } from '../host/agent.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import { continueTrace } from '../observe/remote-parent.ts'
import type { CallResult } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'
import { createRounds, type RoundedCall, type Rounds } from './rounds.ts'
import { openStage, type OpenStage, type ToolStage } from './stage.ts'
import { toCallResult } from './to-call-result.ts'
import { isServable, toMcpTool } from './to-mcp-tool.ts'

export interface ToolServerSpec {
  readonly stage: ToolStage
  readonly name: string
  readonly version: string
}

/** MCP servers over the tools of a host, one per connection or request. */
export interface ToolServers {
  readonly factory: McpServerFactory
  /** Requests that are not answered yet. */
  running(): number
  /**
   * Requests go to these tools from now on, and clients hear of it when the list is another. Resolves
   * when what the tools before were asked has been answered.
   */
  replace(next: ToolStage): Promise<void>
  /** Resolves when no call is under way. */
  idle(): Promise<void>
  /** Told that the tools are others now; servers of the revision before tell their clients themselves. */
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

/** Creates the servers of a host. */
export function createToolServers(spec: ToolServerSpec): ToolServers {
  const rounds = createRounds()
  const codec = createRequestStateCodec<{ id: string }>({ key: randomBytes(32), ttlSeconds: 3_600 })
  const open = new Set<Server>()
  const started = new WeakMap<RoundedCall, Started>()
  // Requests of the current revision come without a connection, and share one agent.
  const shared = {}
  const listeners = new Set<() => void>()
  const announce = (): void => {
    for (const changed of listeners) changed()
    for (const server of open) void server.sendToolListChanged().catch(() => undefined)
  }
  const stageFor = (given: ToolStage): OpenStage => {
    const mine = openStage(given, () => {
      if (mine === stage) announce()
    })
    return mine
  }
  let stage: OpenStage = stageFor(spec.stage)
  const stages = new Set([stage])
  const factory: McpServerFactory = ({ era }) => {
    const isModern = era === 'modern'
    const server = new Server(
      { name: spec.name, version: spec.version },
      {
        capabilities: { tools: { listChanged: true }, logging: {} },
        requestState: { verify: codec.verify },
      },
    )
    const connection = isModern ? shared : server
    if (!isModern) {
      open.add(server)
      server.onclose = () => {
        open.delete(server)
        for (const known of stages) void known.leave(connection)
      }
    }
    server.setRequestHandler('tools/list', () => ({ tools: listTools(stage.agentOf(connection)) }))
    server.setRequestHandler('tools/call', (request, ctx) => {
      const agent = stage.agentOf(connection)
      const { mint } = codec
      const scene: Scene = { stage, agent, server, rounds, isModern, started, mint }
      return stage.track(serveCall(scene, request, ctx))
    })
    return server
  }
  return {
    factory,
    running: () => [...stages].reduce((sum, known) => sum + known.running, 0),
    async replace(next) {
      const before = stage
      stage = stageFor(next)
      stages.add(stage)
      if (listingOf(before.host) !== listingOf(stage.host)) announce()
      await before.idle()
      await before.close()
      stages.delete(before)
    },
    async idle() {
      await Promise.all([...stages].map((known) => known.idle()))
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      await Promise.all([...open].map((server) => server.close()))
      await Promise.all([...stages].map((known) => known.close()))
    },
  }
}

interface Scene {
  /** What the request came to; it stays there whatever is in force meanwhile. */
  readonly stage: OpenStage
  readonly agent: Agent
  readonly server: Server
  readonly rounds: Rounds
  readonly isModern: boolean
  /** Calls that are answered in rounds. */
  readonly started: WeakMap<RoundedCall, Started>
  mint(payload: { id: string }): Promise<string>
}

type Listed = { readonly tools: Pick<ToolHost['tools'], 'get' | 'schemas'> }

function listTools({ tools }: Listed): ReturnType<typeof toMcpTool>[] {
  return tools
    .schemas()
    .flatMap(({ name }) => tools.get(name) ?? [])
    .filter(isServable)
    .map(toMcpTool)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function listingOf(host: ToolHost): string {
  return JSON.stringify(listTools(host))
}

async function serveCall(
  scene: Scene,
  { params }: CallToolRequest,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { name, arguments: args = {} } = params
  const tool = scene.agent.tools.get(name)
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
  }
  const given = args as JsonValue
  const ended = (result: CallResult): CallToolResult =>
    scene.server.projectCallToolResult(toCallResult(result), toMcpTool(tool).outputSchema)
  if (!scene.isModern) {
    const call = startCall(scene, { name, args: given, ctx })
    return ended(await heldBy(ctx, call, call.result))
  }
  const state = ctx.mcpReq.requestState<{ id: string }>()
  const call =
    state === undefined
      ? openRounds(scene, name, given, ctx)
      : resume(scene, state.id, { name, args: given, ctx })
  const round = await heldBy(ctx, call, call.rounded.next())
  if (round.kind === 'result') {
    scene.rounds.drop(call.rounded.id)
    return ended(round.result)
  }
  return inputRequired({
    inputRequests: { approval: inputRequired.elicit(toParams(round.form)) },
    requestState: await scene.mint({ id: call.rounded.id }),
  })
}

interface Asked {
  readonly name: string
  readonly args: JsonValue
  readonly ctx: ServerContext
}

interface Started {
  readonly callId: string
  /** Where it runs. */
  readonly stage: OpenStage
  readonly result: Promise<CallResult>
  abort(reason: unknown): void
}

/** Starts a call of the agent; `ask` puts a question of the host to the client. */
function startCall(
  { stage, agent, server }: Scene,
  { name, args, ctx }: Asked,
  ask: (form: ElicitationForm, signal: AbortSignal) => Promise<unknown> = (form, signal) =>
    ctx.mcpReq.elicitInput(toParams(form), { signal, timeout: ASK_MS }),
): Started {
  const callId = `mcp-${randomUUID()}`
  const stop = new AbortController()
  stage.relay.attach(callId, ctx)
  // A client of the current revision says what it can do with every request.
  const said = capabilitiesOf(ctx) ?? server.getClientCapabilities()
  const { enabled, locked } = stage.host.approval.settings.answerers.mcp
  const isAskable = enabled && said?.elicitation !== undefined
  const withdraw = isAskable
    ? stage.host.approval.addAnswerer(
        createElicitationAnswerer({
          id: callId,
          elicit: ask,
          isAvailable: (question) => question.callId === callId,
          locked,
        }),
      )
    : () => undefined
  const input = { callId, name, arguments: args, signal: stop.signal }
  const result = continueTrace(ctx.mcpReq._meta, () => agent.tools.execute(input)).finally(() => {
    withdraw()
    stage.relay.detach(callId)
  })
  return { callId, stage, result, abort: (reason) => stop.abort(reason) }
}

/** How long a client may think; the ask has a deadline of its own. */
const ASK_MS = 24 * 60 * 60 * 1_000

interface Rounded extends Started {
  readonly rounded: RoundedCall
}

function openRounds(scene: Scene, name: string, args: JsonValue, ctx: ServerContext): Rounded {
  const rounded = scene.rounds.open(name, args)
  const started = startCall(scene, { name, args, ctx }, (form, signal) => rounded.ask(form, signal))
  scene.started.set(rounded, started)
  started.result.then(
    (result) => rounded.settle(result),
    () => scene.rounds.drop(rounded.id),
  )
  return { ...started, rounded }
}

function resume(
  { rounds, started: calls }: Scene,
  id: string,
  { name, args, ctx }: Asked,
): Rounded {
  const rounded = rounds.find(id, name, args)
  const started = rounded === undefined ? undefined : calls.get(rounded)
  if (rounded === undefined || started === undefined) {
    const text = 'this answer belongs to no open question about this call'
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
  }
  started.stage.relay.attach(started.callId, ctx)
  rounded.answer(ctx.mcpReq.inputResponses?.['approval'])
  return { ...started, rounded }
}

/** While its client waits, a cancelled request ends the call. */
async function heldBy<T>(ctx: ServerContext, call: Started, work: Promise<T>): Promise<T> {
  const { signal } = ctx.mcpReq
  const cancel = (): void => call.abort(signal.reason)
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await work
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function toParams(form: ElicitationForm): ElicitRequestFormParams {
  return { mode: 'form', ...form } as unknown as ElicitRequestFormParams
}

function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>
  return envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
}
