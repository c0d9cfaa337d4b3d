import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SessionLine } from '../../src/types/events.ts'
import { makeGatedHost, toBlock } from '../helpers/gated-host.ts'
import { makeTool, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { recordLines } from '../helpers/recording.ts'
import { forever, sleep, until, untilAborted } from '../helpers/timing.ts'
import { removeFolder } from '../helpers/folders.ts'

const FIVE = ['1', '2', '3', '4', '5']

/** Every `tool/call` has exactly one `tool/result`, between `step/start` and `step/end`. */
function expectPairs(lines: readonly SessionLine[], callIds: readonly string[]): void {
  const of = (type: string): SessionLine[] => lines.filter((line) => line.type === type)
  expect(of('tool/call').map(({ data }) => (data as { callId: string }).callId)).toEqual(callIds)
  const cited = of('tool/result').map(({ data }) => (data as { call: number }).call)
  expect(cited).toEqual(of('tool/call').map(({ seq }) => seq))
  expect(lines.at(0)?.type).toBe('step/start')
  expect(lines.at(-1)?.type).toBe('step/end')
}

const ALL = ['step/start', 'tool/call', 'tool/result', 'step/end']

test('STEP-05 after an abort two started calls have their outcomes and three are not started', async () => {
  const { host, agent, events, open } = makeGatedHost({ maxParallelToolCalls: 2 })
  const lines = recordLines(host, ALL)
  const caller = new AbortController()
  const step = agent.step(
    FIVE.map((id) => toBlock('p', id)),
    { signal: caller.signal },
  )
  await until(() => events.length === 2)
  open('2')
  await until(() => events.includes('start 3'))
  open('1')
  await until(() => events.includes('start 4'))
  caller.abort(new Error('enough'))
  const { results, concluded } = await step
  expect(results).toHaveLength(5)
  expect(results.slice(0, 2).map((result) => toSuccess(result).value)).toEqual(['1', '2'])
  expect(results.slice(2).map((result) => toFailed(result).error.code)).toEqual([
    'ABORTED',
    'ABORTED',
    'ABORTED_BEFORE_DISPATCH',
  ])
  expect(concluded).toBe(false)
  expect(events).not.toContain('start 5')
  expectPairs(lines, FIVE)
  expect(lines.at(-1)?.data).toEqual({ results: 5, aborted: true })
})

test('STEP-05 an abort while an exclusive call runs starts none of the calls behind it', async () => {
  const { host, agent, events } = makeGatedHost()
  const lines = recordLines(host, ALL)
  const caller = new AbortController()
  const step = agent.step(
    FIVE.map((id) => toBlock(id === '2' ? 'x' : 'p', id)),
    { signal: caller.signal },
  )
  await until(() => events.includes('start 1'))
  caller.abort()
  const { results } = await step
  expect(results.map((result) => toFailed(result).error.code)).toEqual([
    'ABORTED',
    ...Array<string>(4).fill('ABORTED_BEFORE_DISPATCH'),
  ])
  expect(events.filter((event) => event.startsWith('start'))).toEqual(['start 1'])
  expectPairs(lines, FIVE)
})

test('a step with a signal that is aborted already runs nothing and resolves', async () => {
  const { agent, events } = makeGatedHost()
  const { results } = await agent.step([toBlock('p', '1'), toBlock('x', '2')], {
    signal: AbortSignal.abort(),
  })
  for (const result of results) {
    expect(toFailed(result).error.code).toBe('ABORTED_BEFORE_DISPATCH')
  }
  expect(events).toEqual(['commit 1', 'commit 2'])
})

describe.each(['AGENT_DISPOSED', 'HOST_CLOSED'] as const)('a step ended by %s', (code) => {
  test('resolves with one result per block, all with that code', async () => {
    const { host, agent, events } = makeGatedHost({ maxParallelToolCalls: 2 })
    const lines = recordLines(host, ALL)
    const step = agent.step(FIVE.map((id) => toBlock('p', id)))
    await until(() => events.length === 2)
    await (code === 'HOST_CLOSED' ? host.close() : agent.dispose())
    const { results } = await step
    expect(results.map((result) => toFailed(result).error.code)).toEqual(
      Array<string>(5).fill(code),
    )
    expect(events.filter((event) => event.startsWith('start'))).toEqual(['start 1', 'start 2'])
    expectPairs(lines, FIVE)
  })

  test('lets bodies that only see the signal of the step hear of it', async () => {
    const { host } = makeHost()
    const agent = host.openSession().agent('a')
    const reasons: unknown[] = []
    agent.tools.register(
      makeTool('t', {
        isConcurrencySafe: () => true,
        async execute(_args, exec) {
          await untilAborted(exec.signal)
          reasons.push(exec.signal.reason)
          return 1
        },
      }),
    )
    const step = agent.step([toBlock('t', '1'), toBlock('t', '2')])
    await sleep(5)
    await (code === 'HOST_CLOSED' ? host.close() : agent.dispose())
    expect(reasons).toEqual([expect.objectContaining({ code }), expect.objectContaining({ code })])
    const { results } = await step
    for (const result of results) expect(toFailed(result).error.code).toBe(code)
  })

  test('refuses the step that waits behind it', async () => {
    const { host, agent, events } = makeGatedHost()
    const first = agent.step([toBlock('p', '1')])
    const second = agent.step([toBlock('p', '2')])
    second.catch(() => undefined)
    await until(() => events.length === 1)
    await (code === 'HOST_CLOSED' ? host.close() : agent.dispose())
    expect(toFailed((await first).results[0] as never).error.code).toBe(code)
    await expect(second).rejects.toMatchObject({ code })
    expect(events).not.toContain('start 2')
  })
})

describe('a log that cannot be written', () => {
  // The limit on file size is the process's own, so the step runs in one of its own.
  function runFull(script: string): { out: Record<string, unknown>; lines: SessionLine[] } {
    const folder = mkdtempSync(join(tmpdir(), 'caisson-step-'))
    const path = join(folder, 's.jsonl')
    const source = join(import.meta.dirname, '../../src/host/create-tool-host.ts')
    try {
      const text = execFileSync(
        'sh',
        [
          '-c',
          'unset NODE_COMPILE_CACHE; ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"',
          process.execPath,
          `
          import { createToolHost } from ${JSON.stringify(source)}
          process.on('SIGXFSZ', () => undefined)
          const host = createToolHost()
          const agent = host.openSession({ log: process.argv[1] }).agent('a')
          const started = [], heard = []
          host.on('tools/result', (exec) => heard.push(exec.callId))
          const register = (name, execute, isConcurrencySafe) => host.tools.register({
            name, description: name, parameters: { type: 'object' }, isConcurrencySafe,
            output: { schema: {}, render: () => [] },
            execute: (args, exec) => (started.push(exec.callId), execute(args, exec)),
          })
          const block = (name, callId, args = {}) => ({ name, callId, arguments: args })
          const huge = { text: 'x'.repeat(40000) }
          const ends = (step) => step.then(() => 'resolved', (error) => error.code)
          ${script}
          await host.close()
          console.log(JSON.stringify({ ...out, started, heard }))`,
          path,
        ],
        { encoding: 'utf8' },
      )
      const lines = readFileSync(path, 'utf8').split('\n')
      const whole = lines.slice(0, -1).map((line) => JSON.parse(line) as SessionLine)
      return { out: JSON.parse(text) as Record<string, unknown>, lines: whole }
    } finally {
      removeFolder(folder)
    }
  }

  test('STEP-10 step() rejects and no body of an unlogged call ran', () => {
    const { out, lines } = runFull(`
      register('p', () => 1, () => true)
      const end = await ends(agent.step([block('p', '1'), block('p', '2', huge), block('p', '3')]))
      const again = await ends(agent.step([block('p', '4')]))
      const out = { end, again }`)
    expect(out).toMatchObject({ end: 'CONFIG_INVALID', again: 'CONFIG_INVALID', started: ['1'] })
    expect(['', '1']).toContain(String(out['heard']))
    const types = lines.map(({ type }) => type)
    expect(types.slice(0, 2)).toEqual(['step/start', 'tool/call'])
    expect(types).not.toContain('step/end')
  })

  test('STEP-10 running bodies are ended and no result is invented', () => {
    const { out } = runFull(`
      let stopped = false
      register('waits', (_args, { signal }) => new Promise((resolve) => {
        signal.addEventListener('abort', () => { stopped = true; resolve(1) })
      }), () => true)
      register('talks', (_args, exec) => { exec.log(huge.text); return 1 }, () => true)
      const caller = new AbortController()
      const end = await ends(agent.step([block('waits', '1'), block('waits', '2', huge), block('talks', '3')]))
      const out = { end, stopped }`)
    expect(out).toEqual({ end: 'CONFIG_INVALID', stopped: true, started: ['1'], heard: [] })
  })

  test('STEP-10 a body whose own log line cannot be written is ended, and the step rejects', () => {
    const { out } = runFull(`
      register('talks', async (_args, exec) => { exec.log(huge.text); await new Promise(() => 0) })
      const end = await ends(agent.step([block('talks', '1'), block('talks', '2')]))
      const out = { end }`)
    expect(out).toMatchObject({ end: 'CONFIG_INVALID', started: ['1'] })
  })
})

test('a body that hangs through an abort is reported and the step goes on to its end', async () => {
  const { host, diagnostics } = makeHost()
  const agent = host.openSession().agent('a')
  host.tools.register(makeTool('t', { execute: forever }))
  const caller = new AbortController()
  const step = agent.step([toBlock('t', '1')], { signal: caller.signal })
  await sleep(5)
  caller.abort()
  expect((await step).results.map((result) => toFailed(result).error.code)).toEqual(['ABORTED'])
  expect(diagnostics).toHaveLength(1)
})
