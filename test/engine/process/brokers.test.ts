import { createServer, type IncomingMessage } from 'node:http'
import { copyFileSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToolHost, type ToolHost } from '../../../src/index.ts'
import { defineTool } from '../../escape/attack.ts'
import { describeConfined } from '../../helpers/confined.ts'
import { makeCall, toSuccess } from '../../helpers/make-call.ts'
import { removeFolder } from '../../helpers/folders.ts'

const folder = mkdtempSync(join(tmpdir(), 'caisson-brokered-'))
afterAll(() => removeFolder(folder))
writeFileSync(join(folder, 'package.json'), '{}')

describeConfined('what a Node program asks of the host', () => {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    request.resume()
    response.writeHead(201, { 'x-made': 'yes' }).end('body')
  })
  let host: ToolHost
  let origin = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    host = createToolHost({
      workspace: folder,
      profiles: [
        {
          name: 'asks',
          engine: 'process',
          limits: { timeoutMs: 20_000, graceMs: 100 },
          fs: { read: ['package:/**'] },
          fetch: { allow: [origin], methods: ['GET', 'POST'] },
          kv: {},
        },
      ],
      defaults: { profile: 'asks' },
    })
  })
  afterAll(async () => {
    await host.close()
    server.close()
  })
  const run = async (name: string, body: string): Promise<unknown> => {
    writeFileSync(join(folder, `${name}.mjs`), defineTool(name, body))
    await host.tools.load(`${name}.mjs`)
    const agent = host.openSession().agent(name)
    return toSuccess(await agent.tools.execute(makeCall(name))).value
  }

  test('fetch reaches what is granted through the host, and nothing else', async () => {
    const body = `
      const made = await fetch('${origin}/x', { method: 'POST', body: 'text', headers: { 'x-own': '1' } })
      const other = await fetch('http://127.0.0.1:1/').then(() => 'fetched', (error) => error.code)
      return { status: made.status, header: made.headers.get('x-made'), text: await made.text(), url: made.url, other }`
    expect(await run('fetches', body)).toEqual({
      status: 201,
      header: 'yes',
      text: 'body',
      url: `${origin}/x`,
      other: 'CAPABILITY_DENIED',
    })
    expect(seen.map(({ method, headers }) => [method, headers['x-own']])).toEqual([['POST', '1']])
  })

  test('values are kept by the host, for no program lives long enough', async () => {
    const body = `await exec.kv.set('n', ((await exec.kv.get('n')) ?? 0) + 1); return await exec.kv.get('n')`
    expect(await run('counts', body)).toBe(1)
    const agent = host.openSession().agent('counts-again')
    const both = [makeCall('counts'), makeCall('counts')]
    const values = []
    for (const call of both) values.push(toSuccess(await agent.tools.execute(call)).value)
    expect(values).toEqual([1, 2])
  })

  test('files of its own are read where they are, and native code is loaded', async () => {
    writeFileSync(join(folder, 'data.txt'), 'mine')
    const require = createRequire(import.meta.url)
    const addons = join(dirname(require.resolve('isolated-vm')), 'prebuilds')
    const found = readdirSync(addons, { recursive: true }).map(String)
    const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
    const libc = header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
    const parts = [`linux-${process.arch}`, `abi${process.versions.modules}`, libc]
    const name = found.find((path) => parts.every((part) => path.includes(part)))
    const hasAddon = name !== undefined
    if (hasAddon) copyFileSync(join(addons, name), join(folder, 'native.node'))
    const load = hasAddon ? "Object.keys(require('./native.node')).length > 0" : 'true'
    const body = `
      const { readFileSync } = await import('node:fs')
      return [readFileSync(new URL('data.txt', import.meta.url), 'utf8'), ${load}]`
    expect(await run('reads', body)).toEqual(['mine', true])
  })
})
