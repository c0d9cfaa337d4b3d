import { createServer } from 'node:net'
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../cli/caisson.ts'
import { parseExposition } from '../helpers/parse-exposition.ts'
import { connectTo, startServe, TOKEN } from './start-serve.ts'

const UNITS = join(ROOT, 'examples/community/units.mjs')
const authorization = `Bearer ${TOKEN}`

interface Answer {
  readonly status: number
  readonly type: string | undefined
  readonly text: string
}

async function get(
  url: string,
  headers: Record<string, string> = { authorization },
  method: string = 'GET',
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const asked = request(url, { method, headers }, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => (text += chunk))
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'], text }),
    )
  })
  asked.on('error', reject)
  asked.end()
  return await promise
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test(
  'serve --metrics answers a scrape behind the gate of the server',
  { timeout: 60_000 },
  async () => {
    const serving = startServe([UNITS, '--http', '0', '--metrics'])
    const { url } = await serving.line('serving MCP')
    const client = await connectTo(String(url))
    await client.callTool({ name: 'unit_convert', arguments: { value: 1, from: 'km', to: 'm' } })
    await client.callTool({ name: 'unit_convert', arguments: { value: 'x' } })
    const metrics = String(url).replace('/mcp', '/metrics')
    const { status, type, text } = await get(metrics)
    expect(status).toBe(200)
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8')
    const samples = parseExposition(text)
    expect(samples.get('caisson_calls_total{tool="unit_convert",outcome="success"}')).toBe(1)
    expect(samples.get('caisson_calls_total{tool="unit_convert",outcome="INVALID_ARGS"}')).toBe(1)
    expect(samples.get('caisson_calls_in_flight')).toBe(0)
    expect(samples.get('caisson_sandbox_processes')).toBeGreaterThan(0)
    expect((await get(metrics, {})).status).toBe(401)
    expect((await get(metrics, { authorization: `${authorization}x` })).status).toBe(401)
    expect((await get(metrics, { authorization, host: 'evil.example' })).status).toBe(403)
    expect((await get(metrics, { authorization, origin: 'https://evil.example' })).status).toBe(403)
    expect((await get(metrics, { authorization }, 'DELETE')).status).toBe(405)
    expect((await get(metrics, { authorization }, 'HEAD')).text).toBe('')
    expect(await serving.stop()).toBe(0)
    expect(serving.lines().map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'tools loaded'],
      ['info', 'serving MCP'],
      ['info', 'call ended'],
      ['warn', 'call ended'],
      ['info', 'closing'],
    ])
  },
)

test(
  'metrics of a server over stdio have an address of their own',
  { timeout: 60_000 },
  async () => {
    const port = await freePort()
    const serving = startServe([UNITS], { config: { serve: { metrics: `127.0.0.1:${port}` } } })
    const { url } = await serving.line('serving metrics')
    expect(url).toBe(`http://127.0.0.1:${port}/metrics`)
    const { status, text } = await get(String(url))
    expect(status).toBe(200)
    expect(parseExposition(text).has('caisson_calls_in_flight')).toBe(true)
    expect((await get(String(url), {})).status).toBe(401)
    expect((await get(String(url).replace('/metrics', '/mcp'))).status).toBe(404)
    serving.child.stdin?.end()
    await once(serving.child, 'close')
    expect(serving.child.exitCode).toBe(0)
    await expect(get(String(url))).rejects.toThrow(/ECONNREFUSED/)
  },
)
