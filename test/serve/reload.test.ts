import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { unconfinable } from '../helpers/confined.ts'
import { listBelow, listMarked } from '../helpers/marked-processes.ts'
import { ROOT } from '../cli/caisson.ts'
import { makeFolder } from '../helpers/folders.ts'

const SERVERS = join(ROOT, 'test/fixtures/mcp')
const REFUSED = 'the configuration before stays in force'
const LOADED = 'the configuration was loaded again'

interface Rig {
  readonly client: Client
  readonly pid: number
  readonly folder: string
  readonly config: string
  /** Lists that the server said have changed. */
  readonly changes: () => number
  write(config: unknown): void
  /** Sends SIGHUP; resolves with the lines that the server then said. */
  reload(): Promise<Readonly<Record<string, unknown>>[]>
  call(name: string): Promise<string>
  names(): Promise<string[]>
}

const tool = (name: string, body = `'${name}'`): string =>
  `export const parameters = { type: 'object' }; export const name = '${name}';` +
  `export const description = 'Says ${name}.'; export default async () => { return ${body} }`

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function serve(config: unknown, args: readonly string[] = []): Promise<Rig> {
  const folder = makeFolder('caisson-reload-')
  for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.mjs`), tool(name))
  const slow = `(await new Promise((r) => setTimeout(r, 1500)), process.env.WHICH)`
  writeFileSync(join(folder, 'slow.mjs'), tool('slow', slow))
  writeFileSync(join(folder, 'broken.mjs'), 'export default { name: 1 ')
  const path = join(folder, 'c.json')
  const write = (given: unknown): void => {
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  }
  write(config)
  let changes = 0
  const client = new Client({ name: 'test', version: '1' })
  client.setNotificationHandler('notifications/tools/list_changed', () => void (changes += 1))
  onTestFinished(() => client.close())
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(ROOT, 'bin/caisson.mjs'), 'serve', '--config', path, ...args],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', CAISSON_HOME: join(folder, 'state') },
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await client.connect(transport)
  const pid = transport.pid ?? 0
  return {
    client,
    pid,
    folder,
    config: path,
    changes: () => changes,
    write,
    async reload() {
      said = ''
      process.kill(pid, 'SIGHUP')
      await expect.poll(() => said, { timeout: 20_000 }).toMatch(/"msg":"the configuration .*\n/)
      const lines = said.trimEnd().split('\n')
      return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    },
    async call(name) {
      const result = await client.callTool({ name, arguments: {} })
      const [block] = result.content as { readonly text: string }[]
      return String(block?.text)
    },
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
  }
}

describe('serve reads its configuration again on SIGHUP', { timeout: 60_000 }, () => {
  test('a valid one is in force as a whole, and clients hear that the list changed', async () => {
    const logs = makeFolder('caisson-reload-log-')
    const log = join(logs, 'log.jsonl')
    const rig = await serve({ sources: ['one.mjs'] }, ['--session', log])
    expect(await rig.names()).toEqual(['one'])
    expect(await rig.call('one')).toBe('one')
    rig.write({ sources: ['one.mjs', 'two.mjs'], approval: { denyList: ['one'] } })
    expect(await rig.reload()).toMatchObject([{ msg: LOADED, tools: 2 }])
    await expect.poll(rig.changes).toBe(1)
    expect(await rig.names()).toEqual(['one', 'two'])
    expect(await rig.call('two')).toBe('two')
    expect(await rig.call('one')).toContain('did not run')
    expect(await rig.reload()).toMatchObject([{ msg: LOADED, tools: 2 }])
    expect(rig.changes()).toBe(1)
    const results = readFileSync(log, 'utf8').match(/"type":"tool\/result"/g)
    expect(results).toHaveLength(3)
  })

  test('whatever is wrong with the new one is a line, and the one before stays', async () => {
    const rig = await serve({ sources: ['one.mjs'], approval: { denyList: ['two'] } })
    const { config, folder } = rig
    const replace = (make: () => void) => (): void => {
      rmSync(config)
      make()
    }
    const cases: readonly [string, () => void, string][] = [
      ['no JSON', () => rig.write('{ "sources": ['), 'no valid JSON'],
      ['a key', () => rig.write({ sorces: [] }), "sorces: unknown key; did you mean 'sources'?"],
      [
        'a rule',
        () => rig.write({ sources: ['two.mjs'], approval: { rules: 1 } }),
        'approval.rules',
      ],
      ['a source', () => rig.write({ sources: ['two.mjs', 'broken.mjs'] }), 'sources.1: '],
      [
        'a server',
        () =>
          rig.write({ sources: ['two.mjs'], mcpServers: { m: { command: 'no-such-program' } } }),
        'mcpServers.m: ',
      ],
      ['nothing', () => rig.write({}), 'name a source'],
      ['no file', replace(() => undefined), 'there is no such file'],
      ['a pipe', () => execFileSync('mkfifo', [config]), 'it is no regular file'],
      ['a device', replace(() => symlinkSync('/dev/zero', config)), 'it is no regular file'],
      ['a loop', replace(() => symlinkSync('c.json', config)), 'it cannot be read'],
      [
        'much',
        replace(() => writeFileSync(config, ' '.repeat(5 * 1024 * 1024))),
        'larger than 4 MB',
      ],
    ]
    for (const [what, change, text] of cases) {
      change()
      const lines = (await rig.reload()).filter(({ level }) => level === 'error')
      expect([what, lines.length]).toEqual([what, 1])
      expect(lines[0]).toMatchObject({ msg: REFUSED, error: expect.stringContaining(text) })
    }
    expect(await rig.names()).toEqual(['one'])
    expect(await rig.call('one')).toBe('one')
    expect(rig.changes()).toBe(0)
    rmSync(config)
    writeFileSync(join(folder, 'real.json'), JSON.stringify({ sources: ['two.mjs'] }))
    symlinkSync('real.json', config)
    expect(await rig.reload()).toMatchObject([{ msg: LOADED, tools: 1 }])
    expect(await rig.names()).toEqual(['two'])
  })

  test('calls under way end under what they were admitted with', async () => {
    const under = (which: string): object => ({
      sources: ['slow.mjs'],
      profiles: [{ name: 'mine', engine: 'isolate', env: { WHICH: which } }],
      defaults: { profile: 'mine' },
    })
    const rig = await serve(under('before'))
    const first = rig.call('slow')
    await sleep(300)
    rig.write(under('after'))
    await rig.reload()
    const second = rig.call('slow')
    await sleep(300)
    rig.write({ sources: ['one.mjs'] })
    await rig.reload()
    await expect(rig.call('slow')).rejects.toThrow(/Unknown tool/)
    expect(await Promise.all([first, second])).toEqual(['before', 'after'])
  })

  test('many at once leave one configuration and nothing behind', async () => {
    const marker = `--${randomUUID()}`
    const server = { command: 'node', args: ['server.mjs', marker], cwd: SERVERS }
    const mcpServers = unconfinable === undefined ? { fix: server } : {}
    const rig = await serve({ sources: ['one.mjs'], mcpServers })
    await rig.call('one')
    await rig.reload()
    await rig.call('one')
    const settled = listBelow(rig.pid).length
    for (let i = 0; i < 30; i += 1) {
      rig.write(i % 3 === 0 ? '{' : { sources: [i % 2 === 0 ? 'one.mjs' : 'two.mjs'], mcpServers })
      process.kill(rig.pid, 'SIGHUP')
      await sleep(20)
    }
    rig.write({ sources: ['two.mjs'], mcpServers })
    await expect
      .poll(async () => (await rig.reload(), rig.names()), { timeout: 30_000 })
      .toContain('two')
    expect(await rig.call('two')).toBe('two')
    await expect
      .poll(() => listBelow(rig.pid).length, { timeout: 15_000 })
      .toBeLessThanOrEqual(settled + 1)
    if (unconfinable === undefined) {
      const inTwo = listMarked(marker).length
      await rig.reload()
      await expect.poll(() => listMarked(marker).length, { timeout: 15_000 }).toBe(inTwo)
    }
    await rig.client.close()
    await expect.poll(() => listMarked(marker)).toEqual([])
  })
})
