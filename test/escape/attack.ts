import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, expect } from 'vitest'
import { createToolHost, type CallResult, type ToolHost } from '../../src/index.ts'
import type { Agent } from '../../src/host/agent.ts'
import type { HostOptions } from '../../src/host/spec.ts'
import type { LoadOptions } from '../../src/host/load.ts'
import { checkState, withState } from './attacked-state.ts'
import { measureTree } from '../../src/sandbox/process-tree.ts'
import type { SessionLine } from '../../src/types/events.ts'
import { removeFolder } from '../helpers/folders.ts'

/** One hostile tool and the call made of it. */
export interface Attack extends LoadOptions {
  /** Text of `async execute(args, exec)`; or, as `source`, of the whole module. */
  readonly body?: string
  readonly source?: string
  /** Text of further fields of the definition. */
  readonly fields?: string
  /** The tool to call. Default `attack`. */
  readonly tool?: string
  readonly args?: unknown
  readonly signal?: AbortSignal
  /** Whether the runner that serves the call has to be dead afterwards, or has to be kept. */
  readonly kills?: boolean
}

/** What came of it, after the checks that every attack must leave intact. */
export interface Attacked {
  readonly result: CallResult
  readonly ms: number
  /** How late the host's loop ran while the call lasted: the 99th percentile, in milliseconds. */
  readonly delayMs: number
  /** Log lines of the call. */
  readonly logs: readonly { readonly level: string; readonly text: string }[]
}

/** A host under attack; one per test file. */
export interface Arena {
  readonly host: ToolHost
  /** Loads a hostile source and makes one call of it, then checks C1 to C6 of the catalogue. */
  attack(attack: Attack): Promise<Attacked>
  /** Loads a source and leaves it loaded; its calls are checked the same way by `call`. */
  load(attack: Attack): Promise<void>
  call(attack: Attack): Promise<Attacked>
  /** A folder that goes away with the arena. */
  writeSource(text: string): Promise<string>
}

const TIMEOUT_MS = 2_000
const GRACE_MS = 50
const SLACK_MS = 500
const CANARY = `canary-${randomUUID()}`
const GOOD = defineTool('good', 'return { echo: args }')
const LINES = ['tool/call', 'tool/result', 'tool/log'] as const

/** Opens an arena for the tests of the calling file. Its host has two runners unless told otherwise. */
export function openArena(options: HostOptions = {}): Arena {
  let arena: { host: ToolHost; agent: Agent; folder: string } | undefined
  const opened = (): NonNullable<typeof arena> => {
    if (arena === undefined) throw new Error('the arena is not open yet')
    return arena
  }
  const stray: unknown[] = []
  const note = (error: unknown): void => void stray.push(error)
  const lines: SessionLine[] = []

  const writeSource = async (text: string): Promise<string> => {
    const file = join(opened().folder, `${randomUUID()}.mjs`)
    await writeFile(file, text)
    return file
  }
  /** By its text: a test that is tried again loads what its first try has left. */
  const loadedBefore = new Map<string, AsyncDisposable>()
  const load: Arena['load'] = async (attack) => void (await loadAttack(attack))
  const loadAttack = async (attack: Attack): Promise<AsyncDisposable> => {
    const {
      body,
      source,
      fields,
      tool,
      args: _args,
      signal: _signal,
      kills: _kills,
      ...rest
    } = attack
    const text = source ?? defineTool(tool ?? 'attack', body ?? '', fields)
    await loadedBefore.get(text)?.[Symbol.asyncDispose]()
    const file = await writeSource(text)
    const loaded = await opened().host.tools.load(file, { timeoutMs: TIMEOUT_MS, ...rest })
    loadedBefore.set(text, loaded)
    await checkState(opened().host, loaded)
    return loaded
  }
  const call: Arena['call'] = async (attack) => {
    const { host, agent } = opened()
    const callId = randomUUID()
    const runners = host.childPids()
    lines.length = 0
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const begun = performance.now()
    const result = await agent.tools.execute({
      callId,
      name: attack.tool ?? 'attack',
      arguments: attack.args ?? {},
      signal: attack.signal ?? new AbortController().signal,
    })
    const ms = performance.now() - begun
    delay.disable()
    const ofCall = lines.filter((line) => Reflect.get(line.data, 'callId') === callId)
    expect(ms, 'C1 settled in time').toBeLessThan(
      (attack.timeoutMs ?? TIMEOUT_MS) + GRACE_MS + SLACK_MS * patience(),
    )
    checkAudit(ofCall, result)
    await checkGood(agent)
    await checkIdle(runners)
    if (attack.kills !== undefined) await checkFate(host, runners, attack.kills)
    expect(stray, 'C2 nothing unhandled on the host').toEqual([])
    expect(JSON.stringify([result, ofCall]), 'C5 no canary').not.toContain(CANARY)
    const logs = ofCall.flatMap((line) =>
      line.type === 'tool/log' ? [{ level: line.data.level, text: line.data.text }] : [],
    )
    return { result, ms, delayMs: delay.percentile(99) / 1e6, logs }
  }
  beforeAll(async () => {
    process.env['CAISSON_CANARY'] = CANARY
    process.on('unhandledRejection', note)
    process.on('uncaughtExceptionMonitor', note)
    const folder = await mkdtemp(join(tmpdir(), 'caisson-escape-'))
    const host = createToolHost({ maxRunners: 2, ...withState(options) })
    for (const type of LINES) host.on(type, (line: SessionLine) => void lines.push(line))
    arena = { host, agent: host.openSession().agent('attacker'), folder }
    await host.tools.load(await writeSource(GOOD))
  })
  afterAll(async () => {
    await opened().host.close()
    removeFolder(opened().folder)
    process.off('unhandledRejection', note)
    process.off('uncaughtExceptionMonitor', note)
  })
  return {
    get host() {
      return opened().host
    },
    async attack(attack) {
      await using _loaded = await loadAttack(attack)
      return await call(attack)
    },
    load,
    call,
    writeSource,
  }
}

/**
 * By how much everything takes longer here than on a machine that has nothing else to do: the
 * catalogue's times are promises about the host, not about its neighbours.
 */
export function patience(): number {
  return Math.max(1, (loadavg()[0] ?? 1) / availableParallelism())
}

/** A module with one definition that takes anything and renders its value as JSON text. */
export function defineTool(name: string, body: string, fields: string = ''): string {
  return `export const ${name} = {
    name: '${name}',
    description: 'a tool under test',
    parameters: { type: 'object' },
    output: {
      schema: {},
      render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }],
    },
    async execute(args, exec) {
      ${body}
    },
    ${fields}
  }\n`
}

/** One module with a definition for each body, by tool name. */
export function defineTools(bodies: Readonly<Record<string, string>>): string {
  return Object.entries(bodies)
    .map(([name, body]) => defineTool(name, body))
    .join('')
}

/** The value of a result that must be a success. */
export function valueOf({ result }: Attacked): unknown {
  if (!result.isError) return result.value
  throw new Error(`expected a success, got ${result.error.code}: ${result.error.message}`)
}

function checkAudit(lines: readonly SessionLine[], result: CallResult): void {
  expect(
    lines.filter(({ type }) => type === 'tool/call'),
    'C6 one call',
  ).toHaveLength(1)
  const results = lines.filter((line) => line.type === 'tool/result')
  expect(results, 'C1 settled once').toHaveLength(1)
  expect(results[0]?.data, 'C6 the log agrees').toMatchObject({ isError: result.isError })
}

async function checkGood(agent: Agent): Promise<void> {
  const signal = new AbortController().signal
  const result = await agent.tools.execute({
    callId: randomUUID(),
    name: 'good',
    arguments: { n: 1 },
    signal,
  })
  expect(result, 'C3 the next call').toMatchObject({ isError: false, value: { echo: { n: 1 } } })
}

/** C4: within a second whatever served the call is gone, or uses less CPU than a tick of 10 ms. */
async function checkIdle(pids: readonly number[]): Promise<void> {
  const begun = performance.now()
  let busy = pids
  while (busy.length > 0 && performance.now() - begun < 1_000) {
    const before = new Map(busy.map((pid) => [pid, measureTree(pid).cpuMs]))
    await new Promise((resolve) => setTimeout(resolve, 50))
    busy = busy.filter((pid) => measureTree(pid).cpuMs - (before.get(pid) ?? 0) > 10)
  }
  expect(busy, 'C4 nothing of the call is left').toEqual([])
}

async function checkFate(host: ToolHost, before: readonly number[], dead: boolean): Promise<void> {
  const begun = performance.now()
  const lost = (): number[] => before.filter((pid) => !host.childPids().includes(pid))
  while (dead && lost().length === 0 && performance.now() - begun < 1_000) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  if (dead) expect(lost(), 'the runner of the call is dead').not.toEqual([])
  else expect(lost(), 'the runner of the call is kept').toEqual([])
}
