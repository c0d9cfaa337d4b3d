import { fileURLToPath } from 'node:url'
import {
  createToolHost,
  defineTool,
  isCaissonError,
  type HostOptions,
  type ToolDefinition,
  type ToolHost,
} from '../../src/index.ts'
import { BODIES, type BodyName } from '../fixtures/bodies.ts'
import type { OpenContender } from '../measure/contender.ts'
import { note } from '../measure/print-table.ts'

/** Our own contenders, in the order of every table. */
export const OUR_NAMES = [
  'inline',
  'thread',
  'isolate',
  'isolate-frozen',
  'isolate-fresh-isolate',
  'process',
] as const

export type OurName = (typeof OUR_NAMES)[number]

const TOOLS = fileURLToPath(new URL('../fixtures/tools.mjs', import.meta.url))
const FROZEN = { name: 'bench-frozen', engine: 'isolate', state: 'frozen' }

interface Setting {
  readonly options?: HostOptions
  /** Absent for inline. */
  readonly profile?: string
}

const SETTINGS: Readonly<Record<OurName, Setting>> = {
  inline: {},
  thread: { profile: 'trusted' },
  isolate: { profile: 'pure' },
  'isolate-frozen': { profile: FROZEN.name, options: { profiles: [FROZEN] } },
  'isolate-fresh-isolate': { profile: 'pure', options: { callsPerRunner: 1 } },
  process: { profile: 'shell' },
}

/** Our whole pipeline, from `execute()` to its frozen result, with a host of its own made by `create`. */
export function ours(
  name: OurName,
  more: HostOptions = {},
  create: typeof createToolHost = createToolHost,
): OpenContender {
  return async (body) => {
    const { profile, options } = SETTINGS[name]
    const host = await openHost(name, (logger) => create({ ...options, ...more, logger }), profile)
    if (host === undefined) return undefined
    if (profile === undefined) host.tools.register(createDefinition(body))
    const { signal } = new AbortController()
    let calls = 0
    return {
      name,
      async call(value) {
        const callId = `${(calls += 1)}`
        const input = { callId, name: body, arguments: { value }, signal }
        const result = await host.tools.execute(input)
        if (result.isError) throw new Error(`${name}: ${result.error.code} ${result.error.message}`)
        return result.value
      },
      close: () => host.close(),
    }
  }
}

/** The body as a tool definition, which the original pipeline takes as well. */
export function createDefinition(body: BodyName): ToolDefinition {
  return defineTool({
    name: body,
    description: 'What the benchmarks call.',
    parameters: { value: { type: 'json', required: true } },
    output: { schema: { type: 'json' }, render: () => [{ type: 'text', text: 'done' }] },
    execute: (args) => BODIES[body](args),
  })
}

async function openHost(
  name: OurName,
  create: (logger: (line: string) => void) => ToolHost,
  profile: string | undefined,
): Promise<ToolHost | undefined> {
  const said: string[] = []
  let host: ToolHost | undefined
  try {
    host = create((line) => void said.push(line))
    if (profile !== undefined) {
      const { state } = await host.tools.load(TOOLS, { profile })
      if (state?.reason !== undefined) throw new Error(`${name} has fallen back: ${state.reason}`)
    }
    for (const line of said) note(`${name}: ${line}`)
    return host
  } catch (error) {
    await host?.close()
    if (!isCaissonError(error)) throw error
    note(`${name} cannot run here: ${error.code} ${error.message}: skipped`)
    return undefined
  }
}
