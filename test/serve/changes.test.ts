import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { describeConfined } from '../helpers/confined.ts'
import { makeFolder } from '../helpers/folders.ts'
import { BIN, ROOT, serveHttp } from '../helpers/serving.ts'

const SERVERS = fileURLToPath(new URL('../fixtures/mcp', import.meta.url))

/** Arguments of `caisson serve` for a server that offers more tools once it is called. */
function writeConfig(): string[] {
  const folder = makeFolder('caisson-changes-')
  const args = [join(SERVERS, 'hostile.mjs'), 'call-grow']
  const path = join(folder, 'caisson.config.json')
  const mcpServers = { h: { command: 'node', args, cwd: SERVERS } }
  writeFileSync(path, JSON.stringify({ mcpServers }))
  return ['--config', path, '--approve', 'always']
}

function makeClient(modern: boolean): { client: Client; told: string[][] } {
  const told: string[][] = []
  const client = new Client(
    { name: 'test', version: '1' },
    {
      ...(modern ? { versionNegotiation: { mode: 'auto' as const } } : {}),
      listChanged: {
        tools: {
          onChanged: (_error, tools) => void told.push((tools ?? []).map(({ name }) => name)),
        },
      },
    },
  )
  return { client, told }
}

async function connect(client: Client, transport: 'stdio' | 'HTTP'): Promise<void> {
  const args = writeConfig()
  const home = makeFolder('caisson-changes-')
  onTestFinished(() => client.close())
  if (transport === 'HTTP') {
    const { url, token } = await serveHttp(args, home)
    const headers = { authorization: `Bearer ${token}` }
    return await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    )
  }
  const { PATH = '' } = process.env
  const env = { PATH, CAISSON_HOME: home }
  const command = [BIN, 'serve', ...args]
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: command,
      cwd: ROOT,
      env,
      stderr: 'ignore',
    }),
  )
}

describeConfined('a client that listens', () => {
  test.each([
    ['stdio', '2025-11-25', false],
    ['stdio', '2026-07-28', true],
    ['HTTP', '2025-11-25', false],
    ['HTTP', '2026-07-28', true],
  ] as const)(
    'is told over %s, in %s, that the tools are others',
    { timeout: 60_000 },
    async (transport, revision, modern) => {
      const { client, told } = makeClient(modern)
      await connect(client, transport)
      expect(client.getNegotiatedProtocolVersion()).toBe(revision)
      await client.callTool({ name: 'mcp__h__echo', arguments: {} })
      await expect
        .poll(() => told.at(-1), { timeout: 10_000 })
        .toEqual(['mcp__h__echo', 'mcp__h__late'])
      const { isError } = await client.callTool({ name: 'mcp__h__late', arguments: {} })
      expect(isError).not.toBe(true)
    },
  )
})
