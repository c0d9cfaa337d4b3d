import { describe, expect, test } from 'vitest'
import type { CallResult } from '../../src/types/call.ts'
import type { JsonValue } from '../../src/types/json.ts'
import { makeCall, makeTool, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'

interface Scene {
  readonly called: string[]
  readonly pids: () => number[]
  run(code: string): Promise<CallResult>
}

function makeScene(): Scene {
  const { host } = makeHost({
    codeMode: { computeMs: 1_500, maxWallMs: 5_000, memoryMb: 64, maxOutputBytes: 1_048_576 },
  })
  const called: string[] = []
  const echo = makeTool('echo', {
    isConcurrencySafe: () => true,
    execute: (args: unknown) => {
      called.push('echo')
      return { echo: args }
    },
  })
  host.tools.register(echo)
  host.tools.register(makeTool('hidden', { execute: () => void called.push('hidden') as never }))
  const agent = host.openSession().agent('main')
  agent.tools.restrict({ deny: ['hidden'] })
  agent.tools.presentAs('code')
  return {
    called,
    pids: () => host.childPids(),
    run: (code) => agent.tools.execute(makeCall('run_code', { code, description: 'hostile' })),
  }
}

const resultOf = (result: CallResult): JsonValue | undefined =>
  (toSuccess(result).value as { result?: JsonValue }).result

describe('programs that mean harm', () => {
  test('a text that closes its function runs nowhere', async () => {
    const { run } = makeScene()
    for (const code of ['} globalThis.x = 1; async () => {', '}); (() => {', '`${"', '*/ } /*'])
      expect(toFailed(await run(code)).error).toMatchObject({
        code: 'CODE_RUN_FAILED',
        kind: 'exception',
      })
  })

  test('what it changes of its world changes no answer and no other program', async () => {
    const { run } = makeScene()
    const spoil = `
      Object.prototype.ok = true; Object.prototype.value = 'forged'
      Array.prototype[Symbol.iterator] = () => { throw 1 }
      Promise.prototype.then = undefined; JSON.parse = JSON.stringify = () => 'forged'
      globalThis.tools = {}; ToolCallError.prototype.toolName = 'x'
      return 'done'`
    await run(spoil)
    expect(resultOf(await run('return await tools.echo({ a: 1 })'))).toEqual({ echo: { a: 1 } })
    expect(resultOf(await run('return [typeof {}.ok, [...[1]].length]'))).toEqual(['undefined', 1])
  })

  test('only visible tools can be called, by whatever name', async () => {
    const { run, called } = makeScene()
    const code = `
      const names = Object.keys(tools)
      const tried = []
      for (const name of ['hidden', 'run_code', '__proto__', 'constructor', 'toString'])
        tried.push(typeof tools[name])
      let frozen = 'no'
      try { 'use strict'; tools.hidden = () => 1 } catch { frozen = 'yes' }
      return { names, tried, frozen }`
    expect(resultOf(await run(code))).toEqual({
      names: ['echo'],
      tried: Array(5).fill('undefined'),
      frozen: 'yes',
    })
    expect(called).toEqual([])
  })

  test('a flood of calls is held, and ends with its program', async () => {
    const { run, called } = makeScene()
    const code = `for (let n = 0; n < 3000; n += 1) tools.echo({ n }).catch(() => 0)
      await tools.echo({ last: true }).catch(() => 0)
      return 'over'`
    const result = await run(code)
    expect(['over', undefined]).toContain(result.isError ? undefined : resultOf(result))
    const before = called.length
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(called.length).toBe(before)
  })

  test.each([
    ['a loop', 'for (;;);', 'timeout'],
    ['microtasks', 'const go = () => Promise.resolve().then(go); await go()', 'timeout'],
    ['nothing to wait for', 'await new Promise(() => undefined)', 'timeout'],
    ['memory', 'const a = []; for (;;) a.push(new Array(1e5).fill(a))', 'worker-exit'],
    ['strings', 'let s = "x"; for (;;) s += s', 'exception'],
    ['output', 'for (;;) console.log("x".repeat(1e5))', 'output-limit'],
  ])('%s without end is ended', async (_what, code, kind) => {
    const { run } = makeScene()
    const { error } = toFailed(await run(code))
    expect(error.code).toBe('CODE_RUN_FAILED')
    // A machine may run out of time before it runs out of anything else.
    expect([kind, 'timeout', 'worker-exit']).toContain(error['kind'])
    expect(resultOf(await run('return 1'))).toBe(1)
  })

  test('it learns nothing of the host', async () => {
    const { run } = makeScene()
    const code = `
      const seen = []
      try { null.x } catch (e) { seen.push(e.stack) }
      try { await tools.echo({ f: () => 1 }) } catch (e) { seen.push(e.stack, e.message) }
      seen.push(Object.getOwnPropertyNames(globalThis).join(), Function('return typeof process')())
      return seen.join('\\n')`
    const text = resultOf(await run(code))
    expect(text).toEqual(expect.any(String))
    expect(text).not.toMatch(/\/(work|home|tmp|root)\b|node_modules|isolated-vm|__caisson/)
  })
})
