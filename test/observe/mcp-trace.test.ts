import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../cli/caisson.ts'
import { describeConfined } from '../helpers/confined.ts'
import { makeCall, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { registerTelemetry } from './telemetry.ts'
import { makeFolder } from '../helpers/folders.ts'

const FOLDER = join(ROOT, 'test/fixtures/mcp')
const SDK = fileURLToPath(new URL('../fixtures/observe/sdk.mjs', import.meta.url))
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`

const metaOf = (content: unknown): Record<string, unknown> =>
  JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? '') as never

/** `caisson serve` in front of the fixture; asks its server what came with a request. */
async function openServe(
  env: Record<string, string> = {},
): Promise<(meta: object) => Promise<Record<string, unknown>>> {
  const folder = makeFolder('caisson-trace-')
  const config = join(folder, 'caisson.config.json')
  const server = { command: 'node', args: [join(FOLDER, 'server.mjs')], cwd: FOLDER }
  writeFileSync(config, JSON.stringify({ mcpServers: { fix: server } }))
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(ROOT, 'bin/caisson.mjs'), 'serve', '--config', config, '--approve', 'always'],
    env: { PATH: process.env['PATH'] ?? '', CAISSON_HOME: folder, ...env },
    stderr: 'ignore',
  })
  await client.connect(transport)
  return async (meta) => {
    const call = { name: 'mcp__fix__meta', arguments: {}, _meta: { ...meta } }
    return metaOf((await client.callTool(call)).content)
  }
}

const NONE = [
  { traceparent: '00-00000000000000000000000000000000-b7ad6b7169203331-01' },
  { traceparent: `ff-${TRACE}-${PARENT}-01` },
  { traceparent: `00-${TRACE}-${PARENT}` },
  { traceparent: `00-${TRACE.toUpperCase()}-${PARENT}-01` },
  { traceparent: `${TRACEPARENT}-${'x'.repeat(10_000)}` },
  { traceparent: { toString: 1 } },
]

describeConfined('trace context and MCP', () => {
  test('a server that is a source gets the place of its call, and nothing else of it', async () => {
    const telemetry = registerTelemetry()
    const stateDir = makeFolder('caisson-trace-')
    const { host } = makeHost({ workspace: FOLDER, stateDir })
    const server = { command: 'node', args: [join(FOLDER, 'server.mjs')] }
    await host.tools.load('fix', { server })
    const { content } = toSuccess(await host.tools.execute(makeCall('mcp__fix__meta')))
    const span = telemetry.spanOf('execute_tool mcp__fix__meta')
    const { traceId, spanId } = span.spanContext()
    const { progressToken: _token, ...meta } = metaOf(content)
    expect(meta).toEqual({ traceparent: `00-${traceId}-${spanId}-01` })
    expect(span.attributes['gen_ai.tool.type']).toBe('extension')
  })

  test('what a client sent goes on to the server, also where there is no SDK', async () => {
    const askMeta = await openServe()
    const meta = await askMeta({ traceparent: TRACEPARENT, baggage: 'user=1' })
    expect(meta).toMatchObject({ traceparent: TRACEPARENT })
    expect(meta).not.toHaveProperty('baggage')
    for (const none of NONE) expect(await askMeta(none)).not.toHaveProperty('traceparent')
  })

  test('with an SDK, the call is a child of the request, and the server of the call', async () => {
    const file = join(makeFolder('caisson-trace-'), 'spans.jsonl')
    const askMeta = await openServe({ NODE_OPTIONS: `--import=${SDK}`, SPANS_FILE: file })
    const { traceparent } = await askMeta({ traceparent: TRACEPARENT })
    const read = (): string => readFileSync(file, { encoding: 'utf8', flag: 'a+' })
    await expect.poll(read, { timeout: 5_000 }).toContain('\n')
    const span = JSON.parse(read()) as { span: string }
    expect(span).toMatchObject({
      name: 'execute_tool mcp__fix__meta',
      trace: TRACE,
      parent: PARENT,
    })
    expect(traceparent).toBe(`00-${TRACE}-${span.span}-01`)
  })
})
