import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../helpers/folders.ts'
import { BIN, ROOT, serveHttp } from '../helpers/serving.ts'

const UNITS = join(ROOT, 'examples/community/units.mjs')
const LOOP = join(ROOT, 'examples/hostile/busy-loop.mjs')

type Answer = 'accept' | 'decline'

function makeClient(modern: boolean, answer?: Answer): { client: Client; asked: string[] } {
  const asked: string[] = []
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      ...(modern ? { versionNegotiation: { mode: 'auto' as const } } : {}),
    },
  )
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return { action: answer, ...(answer === 'accept' ? { content: { decision: 'allow' } } : {}) }
    })
  }
  onTestFinished(() => client.close())
  return { client, asked }
}

async function overStdio(client: Client, args: readonly string[]): Promise<StdioClientTransport> {
  const state = makeFolder('caisson-serve-')
  // Before the folder goes: hooks run last to first.
  onTestFinished(() => client.close())
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'serve', ...args],
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', CAISSON_HOME: state },
    stderr: 'ignore',
  })
  await client.connect(transport)
  return transport
}

const textOf = (result: unknown): string =>
  String((result as { content: { text: string }[] }).content[0]?.text)

describe.each([false, true])(
  'serve over stdio (current revision: %s)',
  { timeout: 60_000 },
  (modern) => {
    test('tools are listed in order with what they can do, and called', async () => {
      const { client } = makeClient(modern)
      await overStdio(client, [UNITS, '--tools', 'builtin'])
      const { tools } = await client.listTools()
      const names = tools.map(({ name }) => name)
      expect(names).toEqual(names.toSorted())
      const units = tools.find(({ name }) => name === 'unit_convert')
      expect(units?.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false })
      const args = { value: 1, from: 'km', to: 'm' }
      const result = await client.callTool({ name: 'unit_convert', arguments: args })
      expect(result.structuredContent).toEqual({ value: 1_000, unit: 'm' })
      const wrong = await client.callTool({ name: 'unit_convert', arguments: { value: 'x' } })
      expect(wrong.isError).toBe(true)
      await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow(/Unknown tool/)
    })

    test('what policy asks is put to the client, and its answer counts for that call', async () => {
      const workspace = makeFolder('caisson-serve-')
      writeFileSync(join(workspace, '.env'), 'KEY=1\n')
      const line = { command: 'curl -s http://127.0.0.1:9/' }
      const { client, asked } = makeClient(modern, 'accept')
      await overStdio(client, ['--tools', 'builtin', '--workspace', workspace])
      const allowed = await client.callTool({ name: 'bash', arguments: line })
      expect(asked).toHaveLength(1)
      expect(asked[0]).toContain('NETWORK')
      expect(textOf(allowed)).not.toContain('did not run')
      const { client: other } = makeClient(modern, 'decline')
      await overStdio(other, ['--tools', 'builtin', '--workspace', workspace])
      const refused = await other.callTool({ name: 'bash', arguments: line })
      expect(refused.isError).toBe(true)
      expect(textOf(refused)).toContain('did not run')
    })

    test('a cancelled call is killed', async () => {
      const { client } = makeClient(modern)
      await overStdio(client, [LOOP])
      const { tools } = await client.listTools()
      const stop = new AbortController()
      const name = tools[0]?.name ?? ''
      const call = client.callTool({ name, arguments: {} }, { signal: stop.signal })
      setTimeout(() => stop.abort(), 300)
      await expect(call).rejects.toThrow()
      await expect(client.listTools()).resolves.toBeDefined()
    })
  },
)

interface HttpServer {
  readonly url: string
  readonly token: string
  readonly child: ChildProcess
  readonly log: string
}

async function overHttp(args: readonly string[] = []): Promise<HttpServer> {
  const folder = makeFolder('caisson-serve-')
  const log = join(folder, 'log.jsonl')
  const { url, token, child } = await serveHttp([UNITS, ...args, '--session', log], folder)
  return { url, token, child, log }
}

describe('serve over HTTP', { timeout: 60_000 }, () => {
  test.each([false, true])('clients of either revision are served (%s)', async (modern) => {
    const { url, token } = await overHttp()
    const { client } = makeClient(modern)
    const headers = { authorization: `Bearer ${token}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    )
    const args = { value: 2, from: 'km', to: 'm' }
    const result = await client.callTool({ name: 'unit_convert', arguments: args })
    expect(result.structuredContent).toEqual({ value: 2_000, unit: 'm' })
  })

  test('who has no token, a foreign Host or a foreign Origin gets nothing', async () => {
    const { url, token } = await overHttp()
    const post = (headers: Record<string, string>, body = '{}'): Promise<number> =>
      fetch(url, { method: 'POST', headers, body }).then(({ status }) => status)
    const authorization = `Bearer ${token}`
    expect(await post({})).toBe(401)
    expect(await post({ authorization: `Bearer ${token}x` })).toBe(401)
    expect(await post({ authorization, origin: 'https://evil.example' })).toBe(403)
    expect(await post({ authorization }, '{')).toBe(400)
    expect(await post({ authorization }, `"${'x'.repeat(5 * 1024 * 1024)}"`)).toBe(413)
    const initialize = { authorization, 'mcp-session-id': 'made-up' }
    expect(await post(initialize, '{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe(404)
  })

  test('SIGTERM ends it cleanly, and the log holds every result', async () => {
    const { url, token, child, log } = await overHttp()
    const { client } = makeClient(false)
    const headers = { authorization: `Bearer ${token}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    )
    const args = { value: 2, from: 'km', to: 'm' }
    await client.callTool({ name: 'unit_convert', arguments: args })
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    const types = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types.filter((type) => type === 'tool/result')).toHaveLength(1)
  })
})
