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
import { createRelay, type Relay } from './relay.ts'
import { createRounds, type RoundedCall, type Rounds } from './rounds.ts'
import { toCallResult } from './to-call-result.ts'
import { isServable, toMcpTool } from './to-mcp-tool.ts'

export interface ToolServerSpec {
  readonly host: ToolHost
  readonly name: string
  readonly version: string
  /** Somebody new who calls tools; `close` when its connection ends. */
  openAgent(): { readonly agent: Agent; close(): Promise<void> }
  /** Whether a client may be asked about what only a person may grant. */
  readonly asksLocked: boolean
}

/** MCP servers over the tools of one host, one per connection or request. */
export interface ToolServers {
  readonly factory: McpServerFactory
  /** Calls under way. */
  readonly running: number
  /** Resolves when no call is under way. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Creates the servers of a host. */
export function createToolServers(spec: ToolServerSpec): ToolServers {
  const { host } = spec
  const rounds = createRounds()
  const relay = createRelay(host)
  const codec = createRequestStateCodec<{ id: string }>({ key: randomBytes(32), ttlSeconds: 3_600 })
  const shared = once(() => spec.openAgent())
  const open = new Set<Server>()
  const started = new WeakMap<RoundedCall, Started>()
  const waiters = new Set<() => void>()
  let running = 0
  const track = async <T>(work: Promise<T>): Promise<T> => {
    running += 1
    try {
      return await work
    } finally {
      running -= 1
      if (running === 0) for (const resolve of waiters) resolve()
    }
  }
  const off = host.on('tools/change', () => {
    for (const server of open) void server.sendToolListChanged().catch(() => undefined)
  })
  const factory: McpServerFactory = ({ era }) => {
    const isModern = era === 'modern'
    const own = isModern ? shared() : spec.openAgent()
    const server = new Server(
      { name: spec.name, version: spec.version },
      {
        capabilities: { tools: { listChanged: true }, logging: {} },
        requestState: { verify: codec.verify },
      },
    )
    if (!isModern) {
      open.add(server)
      server.onclose = () => {
        open.delete(server)
        void own.close()
      }
    }
    const { agent } = own
    const scene: Scene = { spec, agent, server, relay, rounds, isModern, started, mint: codec.mint }
    server.setRequestHandler('tools/list', () => ({ tools: listTools(agent) }))
    server.setRequestHandler('tools/call', (request, ctx) => track(serveCall(scene, request, ctx)))
    return server
  }
  return {
    factory,
    get running() {
      return running
    },
    idle: () =>
      running === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiters.add(resolve)
          }),
    async close() {
      off()
      relay.close()
      await Promise.all([...open].map((server) => server.close()))
      if (shared.made) await shared().close()
    },
  }
}

interface Scene {
  readonly spec: ToolServerSpec
  readonly agent: Agent
  readonly server: Server
  readonly relay: Relay
  readonly rounds: Rounds
  readonly isModern: boolean
  /** Calls that are answered in rounds. */
  readonly started: WeakMap<RoundedCall, Started>
  mint(payload: { id: string }): Promise<string>
}

function listTools(agent: Agent): ReturnType<typeof toMcpTool>[] {
  return agent.tools
    .schemas()
    .flatMap(({ name }) => agent.tools.get(name) ?? [])
    .filter(isServable)
    .map(toMcpTool)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
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
  readonly result: Promise<CallResult>
  abort(reason: unknown): void
}

/** Starts a call of the agent; `ask` puts a question of the host to the client. */
function startCall(
  { spec, agent, server, relay }: Scene,
  { name, args, ctx }: Asked,
  ask: (form: ElicitationForm, signal: AbortSignal) => Promise<unknown> = (form, signal) =>
    ctx.mcpReq.elicitInput(toParams(form), { signal, timeout: ASK_MS }),
): Started {
  const callId = `mcp-${randomUUID()}`
  const stop = new AbortController()
  relay.attach(callId, ctx)
  // A client of the current revision says what it can do with every request.
  const said = capabilitiesOf(ctx) ?? server.getClientCapabilities()
  const isAskable = said?.elicitation !== undefined
  const withdraw = isAskable
    ? spec.host.approval.addAnswerer(
        createElicitationAnswerer({
          id: callId,
          elicit: ask,
          isAvailable: (question) => question.callId === callId,
          locked: spec.asksLocked,
        }),
      )
    : () => undefined
  const input = { callId, name, arguments: args, signal: stop.signal }
  const result = continueTrace(ctx.mcpReq._meta, () => agent.tools.execute(input)).finally(() => {
    withdraw()
    relay.detach(callId)
  })
  return { callId, result, abort: (reason) => stop.abort(reason) }
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
  { rounds, relay, started: calls }: Scene,
  id: string,
  { name, args, ctx }: Asked,
): Rounded {
  const rounded = rounds.find(id, name, args)
  const started = rounded === undefined ? undefined : calls.get(rounded)
  if (rounded === undefined || started === undefined) {
    const text = 'this answer belongs to no open question about this call'
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
  }
  relay.attach(started.callId, ctx)
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

function once<T>(make: () => T): (() => T) & { readonly made: boolean } {
  let made: { readonly value: T } | undefined
  const get = (): T => (made ??= { value: make() }).value
  return Object.defineProperty(get, 'made', { get: () => made !== undefined }) as (() => T) & {
    readonly made: boolean
  }
}

function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>
  return envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
}
