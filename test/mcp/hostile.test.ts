import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { McpServerEntry } from '../../src/config/operator-schema.ts'
import type { ToolHost } from '../../src/host/create-tool-host.ts'
import { describeConfined } from '../helpers/confined.ts'
import { makeCall, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { findProcesses } from '../helpers/process-table.ts'
import { makeFolder } from '../helpers/folders.ts'

const FOLDER = fileURLToPath(new URL('../fixtures/mcp/', import.meta.url))
const MB = 1024 * 1024

interface Rig {
  readonly host: ToolHost
  readonly diagnostics: string[]
  readonly tools: readonly string[]
}

function start(mode: string, entry: Partial<McpServerEntry> = {}) {
  const made = makeHost({ workspace: FOLDER, stateDir: makeFolder('caisson-hostile-') })
  const args = ['hostile.mjs', mode].map((arg) => (arg.endsWith('.mjs') ? `${FOLDER}${arg}` : arg))
  const server = { command: 'node', args, startTimeoutMs: 5_000, timeoutMs: 5_000, ...entry }
  return { ...made, loading: made.host.tools.load('h', { server }) }
}

async function load(mode: string, entry: Partial<McpServerEntry> = {}): Promise<Rig> {
  const { loading, ...made } = start(mode, entry)
  return { ...made, tools: (await loading).tools }
}

const echo = (text = 'hi') => makeCall('mcp__h__echo', { text })

/** Nothing of the server of this host is left. */
async function untilGone(host: ToolHost, pids: readonly number[]): Promise<void> {
  await host.close()
  const isThere = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await expect.poll(() => pids.filter(isThere), { timeout: 5_000 }).toEqual([])
}

describeConfined('hostile MCP servers', () => {
  test.each([
    ['initialize-never', /did not answer within 600 ms/],
    ['list-never', /did not say within 600 ms which tools/],
    ['list-pages', /list/],
    ['list-object', /tools: Invalid input: expected array/],
    ['list-null', /not formed like one/],
    ['flood-first', /lines in a second/],
  ])('one that cannot be loaded (%s) is refused in one line, and is gone', async (mode, why) => {
    const startTimeoutMs = mode.endsWith('-never') ? 600 : 5_000
    const { host, loading } = start(mode, { startTimeoutMs })
    const refused = await loading.then(
      () => undefined,
      (error: Error) => error.message,
    )
    expect(refused).toMatch(why)
    expect(refused).not.toContain('\n')
    expect(host.childPids()).toEqual([])
  })

  test('one without tools loads as that, and prints nothing here', async () => {
    const { tools } = await load('no-tools')
    expect(tools).toEqual([])
  })

  test('a tool that is formed badly is left out, and the others stay', async () => {
    const { tools, diagnostics } = await load('schemas')
    expect(tools).toEqual(['mcp__h__slow', 'mcp__h__ok'])
    for (const name of ['deep', 'wide', 'far', 'list'])
      expect(diagnostics.join('\n')).toContain(name)
  })

  test('a pattern that would take for ever is decided at once', async () => {
    const { host } = await load('schemas')
    const begun = performance.now()
    await host.tools.execute(makeCall('mcp__h__slow', { x: `${'a'.repeat(50_000)}!` }))
    expect(performance.now() - begun).toBeLessThan(2_000)
  })

  test('names are made plain, and each is there once', async () => {
    const { tools, host } = await load('names')
    expect(tools).toHaveLength(5)
    for (const name of tools) expect(name).toMatch(/^mcp__h__[\w-]{1,56}$/)
    toSuccess(await host.tools.execute(makeCall('mcp__h__ok', { text: 'x' })))
    const twins = await load('twins')
    expect(twins.tools).toEqual(['mcp__h__same'])
    expect(twins.host.tools.get('mcp__h__same')?.description).toBe('Says it again.')
    toSuccess(await twins.host.tools.execute(makeCall('mcp__h__same')))
  })

  test('of ten thousand tools a thousand are taken, and the rest is named in few lines', async () => {
    const { tools, diagnostics } = await load('many')
    expect(tools).toHaveLength(1_000)
    expect(diagnostics.length).toBeLessThan(20)
    expect(diagnostics.join('\n')).toContain('8990 more')
  })

  test.each([
    ['call-null', 'TOOL_ERROR', /not formed like one/],
    ['call-text', 'TOOL_ERROR', /not formed like one/],
    ['call-content', 'TOOL_ERROR', /content: .*expected array/],
    ['call-block', 'TOOL_ERROR', /content\.0/],
    ['call-huge', 'PROTOCOL_ERROR', /a line of more than/],
  ])('an answer that is none (%s) fails its call, and only that', async (mode, code, why) => {
    const { host } = await load(mode)
    const { error } = toFailed(await host.tools.execute(echo()))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(why)
    expect(error.message).not.toContain('\n')
  })

  test('an answer counts once, whatever follows it', async () => {
    const { host } = await load('call-twice')
    for (const said of ['one', 'two', 'three']) {
      const { content } = toSuccess(await host.tools.execute(echo(said)))
      expect(content).toEqual([{ type: 'text', text: said }])
    }
  })

  test('a client is not lent: what a server asks of one is refused', async () => {
    const { host } = await load('call-sample')
    const { content } = toSuccess(await host.tools.execute(echo()))
    expect(content).toEqual([{ type: 'text', text: 'all were refused' }])
  })

  test.each(['call-flood', 'call-noise', 'call-line', 'call-changes', 'call-progress'])(
    'a flood (%s) ends its server, and the host goes on meanwhile',
    async (mode) => {
      const { host } = await load(mode)
      const pids = host.childPids()
      const delay = monitorEventLoopDelay({ resolution: 5 })
      const before = process.memoryUsage().rss
      delay.enable()
      const { error } = toFailed(await host.tools.execute(echo()))
      delay.disable()
      expect(error.code).toBe('PROTOCOL_ERROR')
      // Far above what is aimed at, since others use this machine too.
      expect(delay.percentile(90) / 1e6).toBeLessThan(100)
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB)
      await untilGone(host, pids)
    },
  )

  test('what is said to a server that never reads does not pile up', async () => {
    const { host } = await load('call-asks', { timeoutMs: 1_000 })
    const pids = host.childPids()
    const before = process.memoryUsage().rss
    toFailed(await host.tools.execute(echo()))
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB)
    await untilGone(host, pids)
  })

  test('what a server has started goes with it, wherever it went', async () => {
    const { host } = await load('call-forks')
    const seconds = `9876.${process.pid}${Date.now() % 100_000}`
    toSuccess(await host.tools.execute(echo(seconds)))
    await expect.poll(() => findProcesses(`sleep ${seconds}`).length).toBeGreaterThan(0)
    await expect.poll(() => findProcesses(seconds).length, { timeout: 5_000 }).toBeGreaterThan(2)
    await host.close()
    await expect.poll(() => findProcesses(seconds), { timeout: 5_000 }).toEqual([])
  })

  test('tools come and go with what the server offers', async () => {
    const grown = await load('call-grow')
    let told = 0
    onTestFinished(grown.host.on('tools/change', () => void (told += 1)))
    toSuccess(await grown.host.tools.execute(echo()))
    await expect.poll(() => grown.host.tools.get('mcp__h__late')).toBeDefined()
    expect(told).toBe(1)
    const shrunk = await load('call-shrink')
    toSuccess(await shrunk.host.tools.execute(echo()))
    await expect.poll(() => shrunk.host.tools.get('mcp__h__echo')).toBeUndefined()
    expect(toFailed(await shrunk.host.tools.execute(echo())).error.code).toBe('UNKNOWN_TOOL')
    toSuccess(await shrunk.host.tools.execute(makeCall('mcp__h__rest')))
  })
})
