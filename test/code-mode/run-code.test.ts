import { describe, expect, test } from 'vitest'
import { defineTool } from '../../src/registry/define-tool.ts'
import type { HostOptions } from '../../src/host/spec.ts'
import type { Agent } from '../../src/host/agent.ts'
import type { ToolHost } from '../../src/host/create-tool-host.ts'
import type { CallResult } from '../../src/types/call.ts'
import type { JsonValue } from '../../src/types/json.ts'
import { makeCall, makeTool, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'

interface Rig {
  readonly host: ToolHost
  readonly agent: Agent
  readonly events: { readonly type: string; readonly data: Record<string, unknown> }[]
  run(code: string, signal?: AbortSignal): Promise<CallResult>
}

function makeRig(options: HostOptions = {}): Rig {
  const { host } = makeHost(options)
  const agent = host.openSession().agent('main')
  agent.tools.presentAs('code')
  const events: Rig['events'] = []
  for (const type of ['tool/call', 'tool/code-dispatch-start', 'tool/code-dispatch'] as const)
    host.on(type, (line: { readonly data: unknown }) =>
      events.push({ type, data: line.data as never }),
    )
  return {
    host,
    agent,
    events,
    run: (code, signal = new AbortController().signal) =>
      agent.tools.execute(makeCall('run_code', { code, description: 'a test' }, { signal })),
  }
}

const resultOf = (result: CallResult): JsonValue | undefined =>
  (toSuccess(result).value as { result?: JsonValue }).result

function slow(name: string, log: string[], isParallel: boolean): ReturnType<typeof makeTool> {
  return makeTool(name, {
    ...(isParallel ? { isConcurrencySafe: () => true } : {}),
    async execute(args: { id: number; ms: number }) {
      log.push(`+${args.id}`)
      await new Promise((resolve) => setTimeout(resolve, args.ms))
      log.push(`-${args.id}`)
      return args.id
    },
  })
}

describe('Code Mode', () => {
  test('CODE-01 a tool is unknown to a direct call and runs from a program', async () => {
    const { host, agent, run } = makeRig()
    const guarded: string[] = []
    host.tools.guard(({ name }) => void guarded.push(name))
    host.tools.register(makeTool('echo'))
    const direct = toFailed(await agent.tools.execute(makeCall('echo', { a: 1 })))
    expect(direct.error.code).toBe('UNKNOWN_TOOL')
    expect(direct.error.message).toContain('run_code')
    expect(guarded).toEqual([])
    expect(resultOf(await run('return await tools.echo({ a: 1 })'))).toEqual({ echo: { a: 1 } })
    expect(guarded).toEqual(['run_code', 'echo'])
  })

  test('CODE-02 a denied call is a ToolCallError without a code, and the program goes on', async () => {
    const { host, run } = makeRig()
    host.tools.register(makeTool('echo'))
    host.tools.guard(({ name }) => (name === 'echo' ? 'not that one' : undefined))
    const code = `try { await tools.echo({}) } catch (e) {
      return [e instanceof ToolCallError, e.name, e.toolName, e.message, 'code' in e] }`
    const [isOurs, name, tool, message, hasCode] = resultOf(await run(code)) as JsonValue[]
    expect([isOurs, name, tool, hasCode]).toEqual([true, 'ToolCallError', 'echo', false])
    expect(message).toContain('not that one')
  })

  test('CODE-03 an argument that is no JSON rejects, leaves no event and uses no number', async () => {
    const { host, run, events } = makeRig()
    host.tools.register(makeTool('echo'))
    const code = `const bad = await tools.echo({ f: () => 1 }).catch((e) => e.name)
      await tools.echo({ ok: 1 })
      return bad`
    expect(resultOf(await run(code))).toBe('ToolCallError')
    const subCalls = events.filter(({ type }) => type === 'tool/code-dispatch-start')
    expect(subCalls.map(({ data }) => String(data['subCallId']).split(':code:')[1])).toEqual(['1'])
  })

  test('CODE-04 parallel calls overlap, and start and settle in the order they were made', async () => {
    const { host, run, events } = makeRig()
    const log: string[] = []
    host.tools.register(slow('nap', log, true))
    const code = `const order = []
      await Promise.all([[1, 300], [2, 20], [3, 150]].map(([id, ms]) =>
        tools.nap({ id, ms }).then((n) => order.push(n))))
      return order`
    expect(resultOf(await run(code))).toEqual([1, 2, 3])
    expect(log.slice(0, 3)).toEqual(['+1', '+2', '+3'])
    const settled = events.filter(({ type }) => type === 'tool/code-dispatch')
    expect(settled.map(({ data }) => (data['arguments'] as { id: number }).id)).toEqual([1, 2, 3])
  })

  test('CODE-05 an exclusive call between two parallel ones overlaps neither', async () => {
    const { host, run } = makeRig()
    const log: string[] = []
    host.tools.register(slow('nap', log, true))
    host.tools.register(slow('lone', log, false))
    const code = `await Promise.all([tools.nap({ id: 1, ms: 60 }), tools.lone({ id: 2, ms: 60 }),
      tools.nap({ id: 3, ms: 5 })])`
    toSuccess(await run(code))
    expect(log).toEqual(['+1', '-1', '+2', '-2', '+3', '-3'])
  })

  test('CODE-06 a call that started has a start and a settle event and its parents id', async () => {
    const { host, run, events } = makeRig()
    host.tools.register(makeTool('echo'))
    toSuccess(await run('await tools.echo({ a: 1 })'))
    const [outer] = events.filter(({ type }) => type === 'tool/call')
    const callId = String(outer?.data['callId'])
    const inner = events.filter(({ type }) => type !== 'tool/call')
    expect(inner.map(({ type }) => type)).toEqual([
      'tool/code-dispatch-start',
      'tool/code-dispatch',
    ])
    for (const { data } of inner) {
      expect(data).toMatchObject({
        rootCallId: callId,
        parentCallId: callId,
        subCallId: `${callId}:code:1`,
        name: 'echo',
      })
    }
    expect(events.filter(({ type }) => type === 'tool/call')).toHaveLength(1)
  })

  test('CODE-07 calls that never started leave no trace, those that did are logged before the end', async () => {
    const { host, run, events } = makeRig()
    const log: string[] = []
    host.tools.register(slow('lone', log, false))
    const code = `tools.lone({ id: 1, ms: 200 }).catch(() => 0)
      tools.lone({ id: 2, ms: 5 }).catch(() => 0)
      await new Promise((resolve) => setTimeout(resolve, 60))
      return 'done'`
    expect(resultOf(await run(code))).toBe('done')
    const seen = events.filter(({ type }) => type !== 'tool/call')
    expect(seen.map(({ type, data }) => [type, (data['arguments'] as { id: number }).id])).toEqual([
      ['tool/code-dispatch-start', 1],
      ['tool/code-dispatch', 1],
    ])
  })

  test('CODE-08 an endless loop is a timeout although a call is pending', async () => {
    const { host, run } = makeRig({ codeMode: { computeMs: 300 } })
    host.tools.register(makeTool('echo'))
    const code = `console.log('before'); tools.echo({}).catch(() => 0); for (;;);`
    const { error } = toFailed(await run(code))
    expect(error).toMatchObject({ code: 'CODE_RUN_FAILED', kind: 'timeout', logs: ['before'] })
  })

  test('CODE-09 a completion that is no JSON is invalid output, an enum is an exception', async () => {
    const { run } = makeRig()
    const map = toFailed(await run('new Map()'))
    expect(map.error).toMatchObject({ code: 'CODE_RUN_FAILED', kind: 'invalid-output' })
    const text = toFailed(await run('enum A { B }'))
    expect(text.error).toMatchObject({ code: 'CODE_RUN_FAILED', kind: 'exception' })
  })

  test('CODE-10 an abort of the caller ends the program and its calls, and all of it is logged', async () => {
    const { host, run, events } = makeRig()
    const begun = Promise.withResolvers<void>()
    let aborted = false
    host.tools.register(
      makeTool('hang', {
        execute: (_args: unknown, exec: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) => {
            begun.resolve()
            exec.signal.addEventListener('abort', () => {
              aborted = true
              reject(new Error('stopped'))
            })
          }),
      }),
    )
    const caller = new AbortController()
    const running = run('await tools.hang({})', caller.signal)
    await begun.promise
    caller.abort()
    expect(toFailed(await running).error.code).toBe('ABORTED')
    expect(aborted).toBe(true)
    expect(events.map(({ type }) => type)).toEqual([
      'tool/call',
      'tool/code-dispatch-start',
      'tool/code-dispatch',
    ])
  })

  test('CODE-11 a program has no modules, no process and no require', async () => {
    const { run } = makeRig()
    const code = `const found = [typeof process, typeof require, typeof globalThis.process, typeof fetch,
        typeof (0, eval)('typeof process === "undefined" ? undefined : process')]
      const failed = await import('node:fs').then(() => 'there', () => 'not available')
      return [...found, failed]`
    expect(resultOf(await run(code))).toEqual([...Array(5).fill('undefined'), 'not available'])
  })

  test('declarations are the same text for the same tools, and quote what is no identifier', () => {
    const describe = (order: readonly string[]): string => {
      const { host, agent } = makeRig()
      for (const name of order) {
        const description = 'ends */ early'
        host.tools.register({ ...makeTool(name), description })
      }
      return agent.tools.schemas()[0]?.description ?? ''
    }
    const text = describe(['b', 'a-b', 'a'])
    expect(text).toBe(describe(['a', 'a-b', 'b']))
    expect(text).toContain('"a-b"(args: Record<string, unknown>)')
    expect(text).not.toContain('ends */ early')
  })

  test('exact types of arguments and values stand in the declarations', () => {
    const { host, agent } = makeRig()
    host.tools.register(
      defineTool({
        name: 'add',
        description: 'Adds.',
        parameters: {
          a: { type: 'number', required: true },
          unit: { type: 'string', enum: ['m'] },
        },
        output: { schema: { type: 'array', items: { type: 'integer' } }, render: () => [] },
        execute: () => [],
      }),
    )
    const { description } = agent.tools.schemas()[0] ?? { description: '' }
    expect(description).toContain('add: number[]')
    expect(description).toMatch(/add\(args: \{\s+a: number\s+unit\?: "m"\s+\}\): Promise</)
  })

  test('modes: native knows no program, both shows all, the nearest word counts', async () => {
    const { host, agent } = makeRig()
    host.tools.register(makeTool('echo'))
    const names = (): string[] => agent.tools.schemas().map(({ name }) => name)
    expect(names()).toEqual(['run_code'])
    const off = agent.tools.presentAs('both')
    expect(names()).toEqual(['echo', 'run_code'])
    off()
    agent.tools.presentAs('native')
    expect(names()).toEqual(['echo'])
    const call = makeCall('run_code', { code: '1', description: 'x' })
    expect(toFailed(await agent.tools.execute(call)).error.code).toBe('UNKNOWN_TOOL')
    expect(() => agent.tools.presentAs('other' as never)).toThrow(/native, code, both/)
  })

  test('what it prints and returns is limited, and what it had printed is kept', async () => {
    const { run } = makeRig({ codeMode: { maxOutputBytes: 4_096 } })
    const flood = toFailed(await run(`for (let i = 0; i < 1e5; i += 1) console.log('line ' + i)`))
    expect(flood.error).toMatchObject({ code: 'CODE_RUN_FAILED', kind: 'output-limit' })
    expect((flood.error['logs'] as string[])[0]).toBe('line 0')
    const large = toFailed(await run(`return 'x'.repeat(5_000)`))
    expect(large.error).toMatchObject({ kind: 'output-limit' })
    const blank = makeCall('run_code', { code: '1', description: ' ' })
    const { agent } = makeRig()
    expect(toFailed(await agent.tools.execute(blank)).error.code).toBe('TOOL_ERROR')
  })
})
