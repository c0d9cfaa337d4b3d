import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { McpServerEntry } from '../../src/config/operator-schema.ts'
import type { ToolHost } from '../../src/host/create-tool-host.ts'
import type { LoadedTools } from '../../src/host/load.ts'
import { describeConfined } from '../helpers/confined.ts'
import { makeCall, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { removeFolder } from '../helpers/folders.ts'

const FOLDER = fileURLToPath(new URL('../fixtures/mcp/', import.meta.url))

interface Rig {
  readonly host: ToolHost
  readonly loaded: LoadedTools
  readonly diagnostics: string[]
  readonly stateDir: string
}

async function load(
  entry: Partial<McpServerEntry> & { readonly state?: string } = {},
): Promise<Rig> {
  const { state, args = [], ...rest } = entry
  const stateDir = state ?? mkdtempSync(join(tmpdir(), 'caisson-mcp-'))
  onTestFinished(() => removeFolder(stateDir))
  const { host, diagnostics } = makeHost({ workspace: FOLDER, stateDir })
  const server = { command: 'node', args: [join(FOLDER, 'server.mjs'), ...args], ...rest }
  return { host, loaded: await host.tools.load('fix', { server }), diagnostics, stateDir }
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

describeConfined('MCP servers as sources', () => {
  test('its tools are called by their own names, and it sees nothing of the host', async () => {
    process.env['CAISSON_TEST_SECRET'] = 'not for it'
    onTestFinished(() => void delete process.env['CAISSON_TEST_SECRET'])
    const { host, loaded } = await load({ args: ['--noise'] })
    expect(loaded.format).toBe('mcp')
    expect(loaded.tools).toContain('mcp__fix__echo')
    const echo = makeCall('mcp__fix__echo', { text: 'hello' })
    expect(toSuccess(await host.tools.execute(echo)).content).toEqual([
      { type: 'text', text: 'hello' },
    ])
    const look = toSuccess(await host.tools.execute(makeCall('mcp__fix__look')))
    const [block] = look.content as readonly { readonly text: string }[]
    const seen = JSON.parse(block?.text ?? '') as { env: string[]; home: string[] }
    expect(seen.env).not.toContain('CAISSON_TEST_SECRET')
    expect(seen.home).toEqual([])
    const fails = toFailed(await host.tools.execute(makeCall('mcp__fix__fails')))
    expect(fails.error).toMatchObject({ code: 'TOOL_ERROR', message: 'it broke' })
  })

  test('a call that never answers is over at its deadline, whatever progress it tells', async () => {
    const { host } = await load({ timeoutMs: 400 })
    for (const name of ['mcp__fix__silent', 'mcp__fix__slow']) {
      const begun = performance.now()
      const failed = toFailed(await host.tools.execute(makeCall(name)))
      expect(failed.error.code).toBe('TOOL_TIMEOUT')
      expect(performance.now() - begun).toBeLessThan(400 + 2_000 + 2_500)
    }
    const echo = makeCall('mcp__fix__echo', { text: 'still here' })
    toSuccess(await host.tools.execute(echo))
  })

  test('a server that ends under a call is started again for the next', async () => {
    const { host, diagnostics } = await load()
    const died = toFailed(await host.tools.execute(makeCall('mcp__fix__die')))
    expect(died.error).toMatchObject({ code: 'TOOL_CRASHED', exitCode: 3 })
    toSuccess(await host.tools.execute(makeCall('mcp__fix__echo', { text: 'again' })))
    expect(diagnostics.join('\n')).toMatch(/has ended .* started again/)
  })

  test('ATK-125 a tool that changes what it says of itself is not called until that is approved', async () => {
    const { host, diagnostics, stateDir } = await load()
    toSuccess(await host.tools.execute(makeCall('mcp__fix__mutate')))
    await expect
      .poll(() => diagnostics.join('\n'), { timeout: 5_000 })
      .toMatch(/'echo' is not what was approved/)
    const echo = makeCall('mcp__fix__echo', { text: 'x' })
    const refused = toFailed(await host.tools.execute(echo))
    expect(refused.error).toMatchObject({ code: 'UNKNOWN_TOOL', changed: true })
    expect(host.tools.get('mcp__fix__echo')?.description).toBe('Says it again.')
    await host.close()
    const { host: later } = await load({ state: stateDir })
    toSuccess(await later.tools.execute(makeCall('mcp__fix__echo', { text: 'as it was' })))
  })

  test('ATK-125 a server that is another one when a call starts it again is not called', async () => {
    const turns = Date.now() + 6_000
    const { host } = await load({ args: [`--turns=${turns}`] })
    const echo = makeCall('mcp__fix__echo', { text: 'x' })
    toSuccess(await host.tools.execute(echo))
    await new Promise((resolve) => setTimeout(resolve, turns + 500 - Date.now()))
    for (const callId of ['1', '2']) {
      const refused = toFailed(await host.tools.execute({ ...echo, callId }))
      expect(refused.error).toMatchObject({ code: 'UNKNOWN_TOOL', changed: true })
      expect(refused.attempts.every(({ started }) => !started)).toBe(true)
    }
  })

  test('approvals that cannot be read open nothing, and are not lost', async () => {
    const { host, stateDir } = await load()
    await host.close()
    const file = join(stateDir, 'mcp-pins.json')
    const broken = readFileSync(file, 'utf8').slice(0, -3)
    writeFileSync(file, broken)
    await expect(load({ state: stateDir })).rejects.toThrow(/mcp-pins\.json cannot be read/)
    expect(readFileSync(file, 'utf8')).toBe(broken)
  })

  test('nothing of a server is left when it is unloaded, however deaf it is', async () => {
    const { host, loaded } = await load({ args: ['--deaf'] })
    const pids = host.childPids()
    expect(pids.length).toBeGreaterThan(0)
    await loaded.dispose()
    await expect.poll(() => pids.every(isGone), { timeout: 5_000 }).toBe(true)
    expect(host.tools.schemas()).toEqual([])
  })

  test('what cannot be started says so in one line', async () => {
    const { host } = makeHost({ workspace: FOLDER })
    const missing = { command: 'npx', args: ['-y', 'no-such-package-anywhere'] }
    await expect(host.tools.load('x', { server: missing })).rejects.toThrow(/install it/)
    const wrong = { command: 'node', args: ['-e', 'process.exit(1)'] }
    await expect(host.tools.load('x', { server: wrong })).rejects.toThrow(/cannot be used/)
  })
})
