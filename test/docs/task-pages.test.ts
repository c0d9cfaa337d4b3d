import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { fileSchema } from '../../src/config/file-schema.ts'
import { caisson, ROOT } from '../cli/caisson.ts'
import { unconfinable } from '../helpers/confined.ts'
import { listCommands, readBlocks, toShell, type Block } from './blocks.ts'
import { makeFolder } from '../helpers/folders.ts'

const PAGES = ['write-a-tool', 'publish-tools', 'wrap-an-mcp-server', 'migrate-a-dsh-plugin']
const KINDS = ['run', 'client', 'config', 'serve']

/** A folder with the files of a page, as a reader has it; `npx caisson` is this checkout. */
function writeBlocks(blocks: readonly Block[]): string {
  const folder = makeFolder('caisson-page-')
  for (const { file, code } of blocks)
    if (file !== undefined) writeFileSync(join(folder, file), code)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const environment = (folder: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  NO_COLOR: '1',
  CAISSON_HOME: join(folder, 'state'),
})

function runShell(command: string, folder: string): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: environment(folder) }
    execFile('sh', ['-ec', toShell(command)], options, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr })
    })
  })
}

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

test.each(PAGES)('what %s shows is run, or marked as something else that is tested', (page) => {
  for (const { language, file, kinds, code } of readBlocks(page)) {
    const isKnown = file !== undefined || kinds.some((kind) => KINDS.includes(kind))
    if (isKnown || code.startsWith('npx caisson mcp approve')) continue
    throw new Error(`docs/${page}.md has a ${language} block that nothing runs:\n${code}`)
  }
})

test.each(PAGES)('the commands of %s do what it says', { timeout: 90_000 }, async (page) => {
  if (page === 'wrap-an-mcp-server' && unconfinable !== undefined) return
  const blocks = readBlocks(page)
  const folder = writeBlocks(blocks)
  const runs = blocks.filter(({ kinds }) => kinds.includes('run'))
  expect(runs.length).toBeGreaterThan(0)
  for (const { code, facts } of runs) {
    const ran = await runShell(code, folder)
    const shown = `${code}${ran.stdout}${ran.stderr}`
    expect(ran.code, shown).toBe(Number(facts['exit'] ?? 0))
    expect(ran.stdout, shown).toContain(facts['stdout'] ?? '')
    expect(ran.stderr, shown).toContain(facts['stderr'] ?? '')
  }
})

test.each(PAGES)('the configurations of %s are some', (page) => {
  for (const { file, kinds, code } of readBlocks(page)) {
    if (file !== 'caisson.config.json' && !kinds.includes('config')) continue
    expect(fileSchema.safeParse(JSON.parse(code)).error).toBeUndefined()
  }
})

test('what clients are told to start is a server with the tools of the page', async () => {
  const blocks = readBlocks('publish-tools')
  const commands = listCommands(blocks.filter(({ kinds }) => kinds.includes('client')))
  expect(commands).toHaveLength(3)
  const folder = writeBlocks(blocks)
  const [first, ...others] = commands
  for (const other of others) expect(other).toEqual(first)
  const [npx, name, ...args] = first ?? []
  expect([npx, name]).toEqual(['npx', 'caisson'])
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(ROOT, 'bin/caisson.mjs'), ...args],
      cwd: folder,
      env: environment(folder),
      stderr: 'ignore',
    }),
  )
  const { tools } = await client.listTools()
  const names = tools.map((tool) => tool.name)
  expect(names).toEqual(expect.arrayContaining(['shout', 'read']))
  const result = await client.callTool({ name: 'shout', arguments: { text: 'hi' } })
  expect(result.content).toEqual([{ type: 'text', text: 'HI' }])
}, 60_000)

test('the pages name only options that their commands have', async () => {
  const pages = [...PAGES, 'mcp', 'config'].map((page) =>
    readFileSync(join(ROOT, `docs/${page}.md`), 'utf8'),
  )
  const used = new Map<string, Set<string>>()
  for (const [, command = '', rest = ''] of pages
    .join('\n')
    .matchAll(/caisson ([a-z]+)([^\n`]*)/g)) {
    const options = used.get(command) ?? new Set()
    for (const option of rest.match(/ --[a-z][a-z-]*/g) ?? []) options.add(option.trim())
    used.set(command, options)
  }
  used.delete('mcp')
  expect([...used.keys()]).toEqual(expect.arrayContaining(['run', 'list', 'serve', 'explain']))
  for (const [command, options] of used) {
    if (options.size === 0) continue
    const { stdout } = await caisson([command, '--help'])
    for (const option of options) expect(stdout).toContain(option)
  }
}, 60_000)
