import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { parse } from 'jsonc-parser'
import { expect, onTestFinished, test } from 'vitest'
import { fileSchema } from '../../src/config/file-schema.ts'
import { ROOT } from '../cli/caisson.ts'
import { makeCall, makeTool, toFailed } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { registerTelemetry } from '../observe/telemetry.ts'
import { connectTo, startServe, TOKEN } from '../serve/start-serve.ts'
import { removeFolder } from '../helpers/folders.ts'

const page = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8')
const UNITS = join(ROOT, 'examples/community/units.mjs')

function block(opening: string): string {
  const [, code] = new RegExp(`^\`\`\`${opening}\n([^]*?)^\`\`\``, 'm').exec(page) ?? []
  if (code === undefined) throw new Error(`docs/observability.md has no block ${opening}`)
  return code
}

const configOf = (file: string): Record<string, unknown> =>
  parse(block(`jsonc file=${file}`), [], { allowTrailingComma: true }) as Record<string, unknown>

/** First cells of the table rows that begin with this text. */
const cells = (start: string): string[] =>
  [...page.matchAll(/^\| `([^`]+)`/gm)]
    .map(([, cell = '']) => cell)
    .filter((cell) => cell.startsWith(start))

test('the preloaded SDK of the page prints the span of a call', { timeout: 60_000 }, async () => {
  // Below node_modules, so that the SDK is found from there.
  const folder = mkdtempSync(join(ROOT, 'node_modules/.caisson-docs-'))
  onTestFinished(() => removeFolder(folder))
  writeFileSync(join(folder, 'otel.mjs'), block('js file=otel.mjs'))
  cpSync(UNITS, join(folder, 'units.mjs'))
  const [, options = '', args = ''] =
    /^NODE_OPTIONS="([^"]+)" npx caisson run units\.mjs --args '([^']+)'$/m.exec(block('sh')) ?? []
  const { stdout } = await execa(
    process.execPath,
    [join(ROOT, 'bin/caisson.mjs'), 'run', 'units.mjs', '--args', args],
    { cwd: folder, env: { NODE_OPTIONS: options, CAISSON_HOME: folder } },
  )
  expect(stdout).toContain("name: 'execute_tool unit_convert'")
  expect(stdout).toContain("'gen_ai.operation.name': 'execute_tool'")
})

test('a span has the attributes of the page, and no others', async () => {
  const telemetry = registerTelemetry()
  const content = configOf('content.json')
  const { host } = makeHost(content)
  host.tools.register(
    makeTool('fails', {
      execute() {
        throw new Error('it broke')
      },
    }),
  )
  await using session = host.openSession()
  toFailed(await session.agent('a').tools.execute(makeCall('fails')))
  const { attributes } = telemetry.spanOf('execute_tool fails')
  const inline = cells('').filter(
    (cell) => /^(?:gen_ai|error|caisson)\./.test(cell) && cell !== 'caisson.profile',
  )
  expect(Object.keys(attributes).toSorted()).toEqual(inline.toSorted())
})

test('the server of the page has its metrics and its log lines', { timeout: 60_000 }, async () => {
  const config = configOf('caisson.config.json') as { serve: { tokenEnv: string } }
  expect(fileSchema.safeParse(config).error).toBeUndefined()
  const serve = { ...config.serve, http: '0' }
  const env = { [config.serve.tokenEnv]: TOKEN }
  const serving = startServe([], { config: { ...config, sources: [UNITS], serve }, env })
  const { url } = await serving.line('serving MCP')
  const client = await connectTo(String(url))
  await client.callTool({ name: 'unit_convert', arguments: { value: 'x' } })
  const headers = { authorization: `Bearer ${TOKEN}` }
  const scraped = await fetch(String(url).replace('/mcp', '/metrics'), { headers })
  const declared = [...(await scraped.text()).matchAll(/^# TYPE (\S+)/gm)].map(
    ([, name = '']) => name,
  )
  const ours = declared.filter((name) => name.startsWith('caisson_'))
  expect(ours.toSorted()).toEqual(cells('caisson_').toSorted())
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(declared).toContain(name)
  const example = JSON.parse(block('json')) as Record<string, unknown>
  const line = await serving.line('call ended')
  expect(Object.keys(line)).toEqual(Object.keys(example))
  expect(line).toMatchObject({ level: 'warn', outcome: 'INVALID_ARGS', tool: 'unit_convert' })
})
