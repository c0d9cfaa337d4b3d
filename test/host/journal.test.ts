import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveCallCard, resolveResultCard } from '../../src/cards/generic-card.ts'
import type { CallResult } from '../../src/types/call.ts'
import type { SessionLine, ToolCallData, ToolResultData } from '../../src/types/events.ts'
import type { ToolDefinition } from '../../src/types/tool.ts'
import { toBlock } from '../helpers/gated-host.ts'
import { makeTool, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { recordLines } from '../helpers/recording.ts'
import { forever } from '../helpers/timing.ts'
import { makeFolder } from '../helpers/folders.ts'

const text = (value: string) => [{ type: 'text', text: value }]

interface Cards {
  readonly call: ToolCallData
  readonly result: ToolResultData
  readonly returned: CallResult
}

/** The logged lines of one call in a session that stores cards. */
async function runWithCards(extra: Partial<ToolDefinition>, args: unknown = {}): Promise<Cards> {
  const { host } = makeHost()
  host.tools.register(
    makeTool('t', {
      parameters: { type: 'object', properties: { n: { type: 'number' } } },
      ...extra,
    }),
  )
  const lines = recordLines(host, ['tool/call', 'tool/result'])
  const { results } = await host
    .openSession({ cards: true })
    .agent('a')
    .step([toBlock('t', '1', args)])
  const [call, result] = lines.map(({ data }) => data)
  return {
    call: call as ToolCallData,
    result: result as ToolResultData,
    returned: results[0] as CallResult,
  }
}

describe('cards', () => {
  const fails = (): never => {
    throw new Error('no card')
  }
  test.each<[string, Partial<ToolDefinition>]>([
    ['no presenter', {}],
    ['a throwing presenter', { presentCall: fails, presentResult: fails }],
    [
      'an async presenter',
      {
        presentCall: () => Promise.resolve({ card: 'generic', title: 'x' }) as never,
        presentResult: forever as never,
      },
    ],
    [
      'a malformed view',
      { presentCall: () => ({ card: 'no such' }) as never, presentResult: () => 5 as never },
    ],
    ['undefined', { presentCall: () => undefined, presentResult: () => undefined }],
  ])('CARD-01 %s gives the generic card with the tool name', async (_name, extra) => {
    const { call, result, returned } = await runWithCards(extra, { n: 1 })
    expect(call.card).toEqual({ card: 'generic', title: 't', rawInput: { n: 1 } })
    expect(result.card).toEqual({ card: 'generic', content: returned.content })
    expect(toSuccess(returned).value).toEqual({ echo: { n: 1 } })
  })

  test('CARD-01 invalid arguments give the generic card and enter no presenter', async () => {
    let entered = 0
    const presentCall = () => {
      entered += 1
      return { card: 'generic' as const, title: 'own' }
    }
    const extra = { presentCall, presentResult: () => presentCall() }
    const { call, result } = await runWithCards(extra, { n: 'text' })
    expect(call.card).toMatchObject({ card: 'generic', title: 't' })
    expect(result.card).toMatchObject({ card: 'generic' })
    expect(result.error?.code).toBe('INVALID_ARGS')
    expect(entered).toBe(0)
  })

  test('CARD-02 presentResult gets content, isError and meta, and no value', async () => {
    const seen: unknown[] = []
    const { result } = await runWithCards(
      {
        output: {
          schema: {},
          render: () => text('shown'),
          presentationMeta: () => ({ rows: 3 }),
        },
        finalizeContent: () => text('final'),
        presentResult(args, presented) {
          seen.push(args, presented)
          return { card: 'generic', title: 'own title' }
        },
      },
      { n: 1 },
    )
    expect(seen).toEqual([{ n: 1 }, { content: text('final'), isError: false, meta: { rows: 3 } }])
    expect(seen.every(Object.isFrozen)).toBe(true)
    expect(result.card).toEqual({ card: 'generic', title: 'own title' })
  })

  test('what a presenter draws is stored, also for a failure', async () => {
    const { call, result } = await runWithCards({
      execute() {
        throw new Error('broken')
      },
      presentCall: () => ({ card: 'terminal', title: 'run it' }),
      presentResult: (_args, { isError, content }) => ({
        card: 'terminal',
        output: `${isError} ${JSON.stringify(content)}`,
      }),
    })
    expect(call.card).toEqual({ card: 'terminal', title: 'run it' })
    expect(result.card).toMatchObject({ card: 'terminal' })
    expect(JSON.stringify(result.card)).toContain('broken')
  })

  test('CARD-03 the stored cards are those a replay draws', async () => {
    const { call, result } = await runWithCards({
      presentCall: () => ({ card: 'terminal', title: 'run it' }),
    })
    expect(resolveCallCard(call)).toEqual(call.card)
    expect(resolveResultCard(result)).toEqual(result.card)
  })

  test('a session without cards enters no presenter and stores none', async () => {
    let entered = 0
    const { host } = makeHost()
    const draw = () => {
      entered += 1
      return undefined
    }
    host.tools.register(makeTool('t', { presentCall: draw, presentResult: draw }))
    const lines = recordLines(host, ['tool/call', 'tool/result'])
    await host
      .openSession()
      .agent('a')
      .step([toBlock('t', '1')])
    expect(entered).toBe(0)
    for (const { data } of lines) expect(data).not.toHaveProperty('card')
  })
})

describe('log', () => {
  function createFolder(): string {
    const folder = makeFolder('caisson-journal-')
    return folder
  }

  test('LOG-07 the value is not in the file; meta and content are', async () => {
    const path = join(createFolder(), 's.jsonl')
    const { host } = makeHost()
    host.tools.register(
      makeTool('t', {
        output: {
          schema: {},
          render: () => text('the-content'),
          presentationMeta: () => 'the-meta',
        },
        execute: () => ({ secret: 'the-value' }),
      }),
    )
    const { results } = await host
      .openSession({ log: path })
      .agent('a')
      .step([toBlock('t', '1')])
    expect(results[0]).toMatchObject({ value: { secret: 'the-value' } })
    const file = readFileSync(path, 'utf8')
    expect(file).not.toContain('the-value')
    expect(file).toContain('the-content')
    expect(file).toContain('the-meta')
    const lines = file.split('\n').slice(0, -1)
    expect(lines.map((line) => (JSON.parse(line) as SessionLine).type)).toEqual([
      'step/start',
      'tool/call',
      'tool/result',
      'step/end',
    ])
  })

  test('a line is in the file before what it announces begins', async () => {
    const path = join(createFolder(), 's.jsonl')
    const { host } = makeHost()
    const lastLine = (): string => readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? ''
    const seen: string[] = []
    host.tools.guard(() => void seen.push(lastLine()))
    host.tools.register(makeTool('t', { execute: () => seen.push(lastLine()) }))
    await host
      .openSession({ log: path })
      .agent('a')
      .step([toBlock('t', '1')])
    for (const line of seen) {
      expect(JSON.parse(line)).toMatchObject({ type: 'tool/call', data: { callId: '1' } })
    }
    expect(seen).toHaveLength(2)
  })

  test('arguments that are not lossless are logged as null', async () => {
    const { host } = makeHost()
    host.tools.register(makeTool('t'))
    const lines = recordLines(host, ['tool/call'])
    await host
      .openSession()
      .agent('a')
      .step([toBlock('t', '1', new Map())])
    expect(lines[0]?.data).toEqual({ callId: '1', name: 't', arguments: null })
  })

  test('BODY-10 logs over logBytes are cut with one marker and the call succeeds', async () => {
    const { host } = makeHost()
    host.tools.register(
      makeTool('t', {
        execute(_args, exec) {
          exec.log('warn', 'first', { n: 1 })
          exec.log('plain')
          for (let i = 0; i < 100; i += 1) exec.log('x'.repeat(1024))
          return 'done'
        },
      }),
    )
    const lines = recordLines(host, ['tool/log'])
    const { results } = await host
      .openSession()
      .agent('a')
      .step([toBlock('t', '1')])
    expect(toSuccess(results[0] as CallResult).value).toBe('done')
    const logs = lines.map(({ data }) => data as { callId: string; level: string; text: string })
    expect(logs[0]).toEqual({ callId: '1', level: 'warn', text: 'first { n: 1 }' })
    expect(logs[1]).toEqual({ callId: '1', level: 'info', text: 'plain' })
    const bytes = logs.slice(0, -1).reduce((sum, entry) => sum + Buffer.byteLength(entry.text), 0)
    expect(bytes).toBeLessThanOrEqual(64 * 1024)
    expect(bytes).toBeGreaterThan(60 * 1024)
    const markers = logs.filter((entry) => entry.text.includes('logBytes'))
    expect(markers).toEqual([logs.at(-1)])
  })
})
