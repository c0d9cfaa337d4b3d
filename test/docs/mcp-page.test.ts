import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { parse } from 'jsonc-parser'
import { expect, onTestFinished, test } from 'vitest'
import { fileSchema } from '../../src/config/file-schema.ts'
import { caisson, ROOT } from '../cli/caisson.ts'

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

interface Clients {
  readonly mcpServers: { readonly caisson: { readonly command: string; readonly args: string[] } }
}

function block(text: string, language: string): string {
  const [, code = ''] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'm').exec(text) ?? []
  return code
}

test('the configurations that wrap servers are some', () => {
  const blocks = [...page.matchAll(/^```jsonc\n([^]*?)^```/gm)].map(([, code = '']) => code)
  const configs = blocks.map((code): unknown => parse(code, [], { allowTrailingComma: true }))
  expect(configs).toHaveLength(2)
  expect(configs[0]).toHaveProperty('mcpServers.search')
  expect(configs[1]).toHaveProperty('mcpServers.files.profile', 'workspace-server')
  for (const config of configs) expect(fileSchema.safeParse(config).error).toBeUndefined()
})

test('what clients are told to start is a server with the tools it names', async () => {
  const { mcpServers } = JSON.parse(block(page, 'json')) as Clients
  expect(mcpServers.caisson.command).toBe('npx')
  const [name, ...args] = mcpServers.caisson.args
  expect(name).toBe('caisson')
  const folder = mkdtempSync(join(tmpdir(), 'caisson-mcp-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(ROOT, 'examples/community/json-diff.mjs'), join(folder, 'tools.mjs'))
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(ROOT, 'bin/caisson.mjs'), ...args],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', CAISSON_HOME: join(folder, 'state') },
    stderr: 'ignore',
  })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const names = tools.map((tool) => tool.name)
  expect(names).toContain('json_diff')
  expect(names).toContain('read')
}, 60_000)

test('the README and the page name only options that the command has', async () => {
  const { stdout } = await caisson(['serve', '--help'])
  const known = new Set(stdout.match(/--[a-z][a-z-]*/g))
  const commands = [page, readme].flatMap((text) => text.match(/caisson serve[^\n`]*/g) ?? [])
  expect(commands.length).toBeGreaterThan(3)
  for (const command of commands) {
    for (const option of command.match(/--[a-z][a-z-]*/g) ?? []) expect(known).toContain(option)
  }
})
