import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import {
  createToolHost,
  defineTool,
  isCaissonError,
  type AgentToolsApi,
  type ToolHost,
} from '../../src/index.ts'
import { ENGINES, type EngineName, type Kind } from './kinds.ts'
import type { Ledger } from './ledger.ts'

/** One host with all engines, and a way to call them that keeps the books. */
export interface Rig extends AsyncDisposable {
  readonly host: ToolHost
  /** Those that can run on this machine. */
  readonly engines: readonly EngineName[]
  /** Why the others cannot. */
  readonly missing: readonly string[]
  /** Signals that live as long as the rig, one per engine: what leaks per call is found on them. */
  readonly signals: readonly AbortSignal[]
  /** Makes one call and enters it; never rejects for what a tool does. */
  call(call: RigCall): Promise<void>
}

export interface RigCall {
  readonly engine: EngineName
  readonly kind: Kind
  /** What a slow tool takes. */
  readonly ms: number
  /** Gives up on the call after this many milliseconds. */
  readonly abortMs?: number
}

/** Bodies that may run at once in an engine; three sources share those of isolates. */
export const SLOTS = 6
const TOOLS = fileURLToPath(new URL('../fixtures/chaos-tools.mjs', import.meta.url))
const limits = { timeoutMs: 30_000, memoryMb: 64, outputBytes: 64 * 1024, logBytes: 16 * 1024 }
const PROFILES = [
  { name: 'chaos-isolate', engine: 'isolate', limits },
  { name: 'chaos-frozen', engine: 'isolate', state: 'frozen', limits },
  { name: 'chaos-dense', engine: 'isolate', isolation: 'dense', limits },
  { name: 'chaos-thread', engine: 'thread', limits },
  { name: 'chaos-process', engine: 'process', limits: { ...limits, graceMs: 100 } },
]

/** Starts the host and loads the tools into every engine there is. */
export async function createRig(ledger: Ledger): Promise<Rig> {
  const host = createToolHost({
    profiles: PROFILES,
    maxRunners: SLOTS,
    queueTimeoutMs: 60_000,
    maxQueue: 2_000,
  })
  host.on('tool/result', ({ data }) => ledger.announced(data.callId))
  host.on('tools/progress', ({ callId }) => ledger.entered(callId))
  const session = host.openSession()
  const tools = new Map<EngineName, AgentToolsApi>()
  const lasting = new Map<EngineName, AbortSignal>()
  const missing: string[] = []
  for (const engine of ENGINES) {
    const agent = session.agent(engine)
    try {
      if (engine === 'inline') for (const tool of INLINE) agent.tools.register(tool)
      else await agent.tools.load(TOOLS, { profile: `chaos-${engine}` })
      tools.set(engine, agent.tools)
      lasting.set(engine, new AbortController().signal)
    } catch (error) {
      if (!isCaissonError(error) || error.code !== 'SANDBOX_UNAVAILABLE') throw error
      missing.push(`${engine}: ${error.message}`)
    }
  }
  return {
    host,
    engines: [...tools.keys()],
    missing,
    signals: [...lasting.values()],
    async call({ engine, kind, ms, abortMs }) {
      const made = ledger.begin({ engine, kind, nonce: randomUUID() })
      const giveUp = abortMs === undefined ? undefined : new AbortController()
      const timer = setTimeout(() => giveUp?.abort(), abortMs)
      if (giveUp === undefined) clearTimeout(timer)
      const signal = giveUp?.signal ?? lasting.get(engine)
      const api = tools.get(engine)
      if (api === undefined || signal === undefined) throw new Error(`${engine} is not there`)
      const args = { id: made.id, nonce: made.nonce, ms }
      const input = { callId: `${made.id}`, name: kind, arguments: args, signal }
      const result = await api.execute(input)
      clearTimeout(timer)
      ledger.settle(made, result, giveUp?.signal.aborted === true)
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

const answer = ({ id, nonce }: { id: number; nonce: string }): { id: number; nonce: string } => ({
  id,
  nonce,
})

const INLINE = (['good', 'slow', 'throws'] as const).map((name) =>
  defineTool({
    name,
    description: 'What the chaos run calls.',
    parameters: {
      id: { type: 'integer', required: true },
      nonce: { type: 'string', required: true },
      ms: { type: 'number', required: true },
    },
    output: { schema: { type: 'json' }, render: () => [{ type: 'text', text: 'done' }] },
    async execute(args, exec) {
      exec.progress({ progress: 1 })
      if (name === 'throws') throw new TypeError(args.nonce)
      if (name === 'slow') await new Promise((resolve) => setTimeout(resolve, args.ms))
      return answer(args)
    },
  }),
)
