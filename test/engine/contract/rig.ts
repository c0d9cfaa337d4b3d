import { fileURLToPath } from 'node:url'
import { createToolHost, type ToolHost } from '../../../src/host/create-tool-host.ts'
import type { Agent } from '../../../src/host/agent.ts'
import type { LoadOptions } from '../../../src/host/load.ts'
import type { CallInput, CallResult } from '../../../src/types/call.ts'
import type { SessionLine } from '../../../src/types/events.ts'
import type { CallState } from '../../../src/types/profile.ts'
import { makeCall } from '../../helpers/make-call.ts'

/** The engines the contract holds for. */
export type EngineName = 'thread' | 'isolate' | 'process'

/** A host whose tools run in one engine, with an agent that calls them. */
export interface Rig {
  readonly engine: EngineName
  /** Deadline of the tools that hang, in milliseconds. */
  readonly deadlineMs: number
  readonly host: ToolHost
  readonly agent: Agent
  readonly diagnostics: string[]
  /** Loads a fixture of test/fixtures/engine into the engine. */
  load(file: string, options?: LoadOptions): Promise<void>
  call(name: string, args?: unknown, extra?: Partial<CallInput>): Promise<CallResult>
  /** Texts logged by one call, `level: text`. */
  logs(callId: string): string[]
  /** Throws unless a simple call works right now. */
  check(): Promise<void>
}

const FIXTURES = fileURLToPath(new URL('../../fixtures/engine/', import.meta.url))
const limits = { timeoutMs: 20_000, graceMs: 50, memoryMb: 32 }
/** As test/fixtures/engine/hangs.ts has it; a program starts anew for every call, within its deadline. */
const DEADLINES_MS = { thread: 250, isolate: 250, process: 1_500 } as const

/** Creates a rig; `control.ts` is loaded already. Its host must be closed. */
export async function createRig(engine: EngineName, state: CallState = 'fresh'): Promise<Rig> {
  const diagnostics: string[] = []
  const host = createToolHost({
    workspace: FIXTURES,
    maxRunners: 2,
    profiles: [
      { name: 'contract', engine, state, limits },
      {
        name: 'wide',
        engine,
        state,
        limits: { ...limits, outputBytes: 16 * 1024 * 1024, memoryMb: 256 },
      },
      { name: 'terse', engine, state, limits: { ...limits, logBytes: 2_048 } },
    ],
    defaults: { profile: 'contract' },
    logger: (line) => void diagnostics.push(line),
  })
  const agent = host.openSession().agent('contract')
  const lines: SessionLine[] = []
  agent.on('tool/log', (line: SessionLine) => void lines.push(line))
  const rig: Rig = {
    engine,
    deadlineMs: DEADLINES_MS[engine],
    host,
    agent,
    diagnostics,
    async load(file, options) {
      const loaded = await host.tools.load(file, options)
      if ((loaded.state?.name ?? 'fresh') !== state) throw new Error(diagnostics.join())
    },
    call: (name, args = {}, extra = {}) => agent.tools.execute(makeCall(name, args, extra)),
    logs: (callId) =>
      lines.flatMap((line) => {
        const { data } = line as unknown as { data: Record<'callId' | 'level' | 'text', string> }
        return data.callId === callId ? [`${data.level}: ${data.text}`] : []
      }),
    async check() {
      const result = await rig.call('control')
      if (result.isError || result.value !== 'fit') {
        throw new Error(`the control call failed: ${JSON.stringify(result)}`)
      }
    },
  }
  await rig.load('control.ts')
  return rig
}
