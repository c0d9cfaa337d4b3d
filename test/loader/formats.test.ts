import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import type { Agent } from '../../src/host/agent.ts'
import { createToolHost } from '../../src/host/create-tool-host.ts'
import type { CallResult } from '../../src/types/call.ts'
import { makeCall, toFailed, toSuccess } from '../helpers/make-call.ts'
import { toBlock } from '../helpers/gated-host.ts'
import { recordLines } from '../helpers/recording.ts'

const FIXTURES = 'test/fixtures/formats/'

interface Shape {
  readonly file: string
  readonly format: string
  readonly value: unknown
  readonly text: string
}

const about = 'about tea'
const shapes: readonly Shape[] = [
  {
    file: 'ai-sdk.js',
    format: 'ai-sdk',
    value: { word: 'tea', limit: 3, called: 'string' },
    text: '{"word":"tea","limit":3,"called":"string"}',
  },
  {
    file: 'mastra.js',
    format: 'mastra',
    value: { word: 'tea', limit: 3 },
    text: '{"word":"tea","limit":3}',
  },
  { file: 'openai-agents.js', format: 'openai-agents', value: about, text: about },
  {
    file: 'anthropic.js',
    format: 'anthropic',
    value: [{ type: 'text', text: about }],
    text: about,
  },
  {
    file: 'claude-agent-sdk.js',
    format: 'claude-agent-sdk',
    value: { content: [{ type: 'text', text: 'about tea, 3' }] },
    text: 'about tea, 3',
  },
  { file: 'langchain.js', format: 'langchain', value: 'about tea, 3', text: 'about tea, 3' },
  { file: 'opencode/lookup.js', format: 'opencode', value: 'about tea, 3', text: 'about tea, 3' },
  {
    file: 'pi.js',
    format: 'pi',
    value: { content: [{ type: 'text', text: about }], details: { cwd: '/workspace' } },
    text: about,
  },
  { file: 'plain/lookup.js', format: 'plain', value: about, text: about },
]

// Time enough to say that the abort was seen, on a machine that is busy.
const limits = { memoryMb: 64, graceMs: 2_000 }
const host = createToolHost({
  profiles: [{ name: 'patient', engine: 'isolate', limits }],
  defaults: { profile: 'patient' },
  logger: () => undefined,
})
afterAll(() => host.close())

/** An agent of its own with the tools of one file. */
async function load(file: string, extra: { timeoutMs?: number } = {}): Promise<Agent> {
  const agent = host.openSession().agent(file)
  await agent.tools.load(`${FIXTURES}${file}`, extra)
  return agent
}

const refusal = async (file: string): Promise<{ code: string; message: string }> =>
  load(file).then(
    () => ({ code: 'none', message: 'it loaded' }),
    (error: { code: string; message: string }) => error,
  )

describe('a tool of the format', () => {
  const agents = new Map<string, Agent>()
  const agentOf = async (file: string): Promise<Agent> => {
    const agent = agents.get(file) ?? (await load(file, { timeoutMs: 2_000 }))
    agents.set(file, agent)
    return agent
  }

  test.each(shapes)(
    '$format runs, and says what it takes',
    async ({ file, format, value, text }) => {
      const { tools } = await agentOf(file)
      expect(tools.get('lookup')).toMatchObject({
        format,
        engine: 'isolate',
        description: 'Looks a word up.',
        parameters: { type: 'object', properties: { word: { type: 'string' } } },
      })
      expect(tools.get('lookup')?.parameters['required']).toContain('word')
      const result = toSuccess(await tools.execute(makeCall('lookup', { word: 'tea' })))
      expect(result.value).toEqual(value)
      expect(result.content).toEqual([{ type: 'text', text }])
      const refused = toFailed(await tools.execute(makeCall('lookup', { word: 7 })))
      expect(refused.error.code).toBe('INVALID_ARGS')
    },
  )

  test('sees its own signal abort at the deadline, whichever the format', async () => {
    const seen = async ({ file, format }: Shape): Promise<unknown[]> => {
      const agent = await agentOf(file)
      const lines = recordLines(agent, ['tool/log'])
      const { results } = await agent.step([toBlock('lookup', '1', { word: 'wait' })])
      const { code } = toFailed(results[0] as CallResult).error
      return [format, code, ...lines.map(({ data }) => (data as { text: string }).text)]
    }
    expect(await Promise.all(shapes.map(seen))).toEqual(
      shapes.map(({ format }) => [format, 'TOOL_TIMEOUT', 'saw the abort']),
    )
  })
})

describe('less common shapes', () => {
  test('of every framework run beside each other', async () => {
    const { tools } = await load('variants.js')
    expect(tools.get('older')?.format).toBe('function')
    const run = async (name: string, args: object): Promise<unknown> =>
      toSuccess(await tools.execute(makeCall(name, args))).value
    const shown = async (name: string, args: object): Promise<unknown> =>
      toSuccess(await tools.execute(makeCall(name, args))).content
    expect(await run('wrapped', { word: 'tea' })).toBe('TEA')
    expect(await run('older', { word: 'tea' })).toEqual(['tea', { word: 'tea' }, false])
    expect(await run('own', { context: 'mine' })).toBe('mine')
    expect(await run('options', { word: 'tea' })).toEqual(['tea', false])
    expect(await shown('parsed', { word: 'tea' })).toEqual([
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ])
    expect(await run('artifact', { kind: 'a' })).toEqual(['kind a', { map: {}, aborted: false }])
    expect(await shown('artifact', { kind: 'a' })).toEqual([{ type: 'text', text: 'kind a' }])
    const bad = toFailed(await tools.execute(makeCall('wrapped', { word: 'bad' })))
    expect(bad.error.message).toContain('invalid arguments: not that word')
  })

  test('a schema of zod 3 is described as far as JSON Schema can say it', async () => {
    const { tools } = await load('variants.js')
    expect(tools.get('artifact')?.parameters).toEqual({
      type: 'object',
      properties: {
        kind: { enum: ['a', 'b'], description: 'Which' },
        list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
        map: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
      },
      required: ['kind'],
    })
  })

  test('a result that says isError is a failed call, and JSON Schema is a schema as well', async () => {
    const { tools } = await load('handlers.js')
    expect(tools.get('fails')).toMatchObject({ format: 'claude-agent-sdk', parameters: {} })
    const failed = toFailed(await tools.execute(makeCall('fails')))
    expect(failed.error).toMatchObject({ code: 'TOOL_ERROR', message: 'no such\nword' })
    const image = toSuccess(await tools.execute(makeCall('draws', { what: 'tea' })))
    expect(image.content).toEqual([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }])
    expect(toFailed(await tools.execute(makeCall('draws', {}))).error.code).toBe('INVALID_ARGS')
    const whole = toSuccess(await tools.execute(makeCall('whole', {})))
    expect(whole.content).toEqual([{ type: 'text', text: 'five' }])
  })

  test('a named export of an opencode file has the name of the file before its own', async () => {
    const { tools } = await load('opencode/lookup.js')
    const sized = await tools.execute(makeCall('lookup_size', { word: 'tea' }))
    expect(toSuccess(sized).value).toBe('3')
  })
})

describe('no tool', () => {
  test('is refused in one line with what was found and what is accepted', async () => {
    const { code, message } = await refusal('nothing.js')
    expect(code).toBe('LOAD_FAILED')
    expect(message).toContain('settings (object with colour, size)')
    expect(message).toContain('helper (function)')
    expect(message).toMatch(/accepted are .*ai-sdk, mastra, .*exported parameters/)
    expect(message).not.toContain('\n')
  })

  test('is a default function without a schema, which is told to export one', async () => {
    const { code, message } = await refusal('bare.js')
    expect(code).toBe('LOAD_FAILED')
    expect(message).toMatch(/default function .* registered no tool; .*exported parameters schema/)
  })
})

test.each(shapes)('the page on formats shows the $format that is tested here', ({ file }) => {
  const page = readFileSync('docs/formats.md', 'utf8')
  expect(page).toContain(readFileSync(`${FIXTURES}${file}`, 'utf8'))
})
