import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createToolHost, type ToolHost } from '../../../src/index.ts'
import type { Agent } from '../../../src/host/agent.ts'
import type { LoadedTools } from '../../../src/host/load.ts'
import { parseProfile } from '../../../src/sandbox/load-profiles.ts'
import { makeCall, toSuccess } from '../../helpers/make-call.ts'
import { removeFolder } from '../../helpers/folders.ts'

const SETTING = `import EventEmitter from 'node:events'; EventEmitter.defaultMaxListeners = 99`
const LIMITS = { timeoutMs: 20_000 }
const STATES = ['fresh', 'frozen', 'sticky'] as const
let folder: string
let host: ToolHost
const diagnostics: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-state-'))
  const profiles = STATES.map((state) => ({
    name: state,
    engine: 'isolate',
    state,
    limits: LIMITS,
  }))
  host = createToolHost({
    maxRunners: 2,
    profiles,
    logger: (line) => void diagnostics.push(line),
  })
})
afterAll(async () => {
  await host.close()
  removeFolder(folder)
})

function source(body: string, top: string = ''): string {
  return `${top}
    export const tool = {
      name: 'tool',
      description: 'a tool',
      parameters: { type: 'object' },
      output: { schema: {}, render: () => [{ type: 'text', text: 'done' }] },
      async execute(args, exec) { ${body} },
    }`
}

async function load(profile: string, text: string): Promise<LoadedTools> {
  const file = join(folder, `${Math.random()}.mjs`)
  await writeFile(file, text)
  const loaded = await host.tools.load(file, { profile })
  onTestFinished(() => loaded.dispose())
  return loaded
}

function newAgent(id: string): Agent {
  return host.openSession().agent(id)
}

async function call(agent: Agent, args: unknown = {}): Promise<unknown> {
  return toSuccess(await agent.tools.execute(makeCall('tool', args))).value
}

describe('frozen calls', () => {
  test.each([
    ['sets a global name', 'globalThis.mine = 1', 'it sets global names: mine'],
    ['replaces a method', 'Array.prototype.last = function () {}', 'object is not extensible'],
    ['replaces what there is', 'Math.max = () => 1', 'read only'],
    ['changes a setting of a library', SETTING, 'read only'],
    [
      'describes itself differently each time',
      'const now = Math.random()',
      'it describes its tools differently there',
    ],
  ])('a source that %s stays fresh, and that is said', async (_title, top, reason) => {
    const text = source('return 1', top).replace(
      "'a tool'",
      `'a tool' + String(${/now/.test(top) ? 'now' : `''`})`,
    )
    const loaded = await load('frozen', text)
    expect(loaded.state).toEqual({ name: 'fresh', reason: expect.stringContaining(reason) })
    expect(diagnostics.at(-1)).toContain(`its calls are not frozen but fresh: `)
    expect(await call(newAgent('a'))).toBe(1)
  })

  test('ordinary code does not notice', async () => {
    const body = `
      class Failure extends Error {
        constructor(text) { super(text); this.name = 'Failure'; this.message = text + '!' }
      }
      function Old() { this.toString = () => 'old'; this.constructor = Old }
      Old.prototype.valueOf = () => 7
      class Bus extends EventEmitter { constructor() { super(); this._events.x = 1; this.emit = () => 'mine' } }
      const counts = {}
      for (const word of ['constructor', 'toString', 'hasOwnProperty', 'toString'])
        counts[word] = (Object.hasOwn(counts, word) ? counts[word] : 0) + 1
      process.env.MINE = 'yes'
      console.info = () => 0
      globalThis.cache = new Map([['a', 1]])
      const made = new Function('a', 'return Math.max(a, 2)')
      return [
        String(new Failure('no')), String(new Old()), new Old() * 2, new Bus().emit(), counts, process.env.MINE,
        globalThis.cache.get('a'), made(3), util.inspect({ a: [1] }), (await new Response('text').text()),
        structuredClone({ a: new Date(0) }).a.getTime(), typeof Math.random(), typeof performance.now(),
      ]`
    const top = `import EventEmitter from 'node:events'
      import * as util from 'node:util'`
    const loaded = await load('frozen', source(body, top))
    expect(loaded.state).toEqual({ name: 'frozen' })
    const expected = [
      'Failure: no!',
      'old',
      14,
      'mine',
      { constructor: 1, toString: 2, hasOwnProperty: 1 },
      'yes',
      1,
      3,
      '{ a: [ 1 ] }',
      'text',
      0,
      'number',
      'number',
    ]
    for (let round = 0; round < 2; round += 1) {
      expect(await call(newAgent('a'))).toEqual(expected)
    }
  })

  test('no two calls draw the same random numbers', async () => {
    const body = `return [Math.random(), crypto.randomUUID(), webcrypto.randomUUID()]`
    await load('frozen', source(body, `import { webcrypto } from 'node:crypto'`))
    const agent = newAgent('a')
    const drawn: unknown[] = []
    for (let n = 0; n < 20; n += 1) drawn.push(...((await call(agent)) as unknown[]))
    expect(new Set(drawn).size).toBe(drawn.length)
  })

  test('a source that takes long to evaluate keeps its runner from one call to the next', async () => {
    const top = 'const until = Date.now() + 400; while (Date.now() < until);'
    const loaded = await load('frozen', source('return 1', top))
    expect(loaded.state).toEqual({ name: 'frozen' })
    const { kills } = host.engineCounts().isolate ?? { kills: -1 }
    for (let n = 0; n < 3; n += 1) {
      expect(toSuccess(await host.tools.execute(makeCall('tool', {}))).value).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
    expect(host.engineCounts().isolate?.kills).toBe(kills)
  })

  test('what a module sets off before its first await is done before every body', async () => {
    const top = `let ready = false
      const wait = async () => { for (let n = 0; n < 50; n++) await null; await new Promise((ok) => setTimeout(ok, 30)); ready = true }
      void wait()`
    const loaded = await load('frozen', source('return ready', top))
    expect(loaded.state).toEqual({ name: 'frozen' })
    for (let n = 0; n < 3; n += 1) expect(await call(newAgent('a'))).toBe(true)
  })
})

const COUNTS = source(
  `if (args.spin) for (;;);
   if (args.wait) await new Promise((ok) => setTimeout(ok, args.wait))
   return (counter += 1)`,
  'let counter = 0',
)

describe('sticky calls', () => {
  test('each agent keeps what its own calls have left, one after the other', async () => {
    const loaded = await load('sticky', COUNTS)
    expect(loaded.state).toEqual({ name: 'sticky' })
    const [one, other] = [newAgent('same'), newAgent('same')]
    expect(await call(one)).toBe(1)
    const waits = [call(one, { wait: 30 }), call(one), call(other, { wait: 10 })]
    expect(await Promise.all(waits)).toEqual([2, 3, 1])
    expect(await call(one)).toBe(4)
    expect(await call(other)).toBe(2)
  })

  test('a call that had to be ended takes it along, and the next is told', async () => {
    await load('sticky', COUNTS)
    const agent = newAgent('a')
    const told: string[] = []
    agent.on('tool/log', ({ data: { text } }) => void told.push(text))
    expect(await call(agent)).toBe(1)
    const spun = makeCall('tool', { spin: true }, { signal: AbortSignal.timeout(200) })
    expect(await agent.tools.execute(spun)).toMatchObject({ isError: true })
    expect(told).toEqual([])
    expect(await call(agent)).toBe(1)
    expect(told).toEqual([expect.stringContaining('its sandbox was ended with the call before')])
    expect(diagnostics.at(-1)).toContain("agent 'a'")
    expect(await call(agent)).toBe(2)
    expect(told).toHaveLength(1)
  })

  test('what was not used for ten minutes is let go, and the next call is told', async () => {
    await load('sticky', COUNTS)
    const agent = newAgent('idle')
    const told: string[] = []
    agent.on('tool/log', ({ data: { text } }) => void told.push(text))
    using timers = vi.spyOn(globalThis, 'setTimeout')
    expect(await call(agent)).toBe(1)
    expect(await call(agent)).toBe(2)
    // The time itself is not waited for; what it would do is done.
    const idle = (): (() => void)[] =>
      timers.mock.calls.flatMap(([fire, ms]) => (ms === 10 * 60_000 ? [fire] : []))
    await expect.poll(() => idle().length).toBe(2)
    const before = host.childPids()
    idle().at(-1)?.()
    await expect
      .poll(() => before.every((pid) => host.childPids().includes(pid)), { timeout: 5_000 })
      .toBe(false)
    expect(await call(agent)).toBe(1)
    expect(told).toEqual([expect.stringContaining('it had not been used for a while')])
    expect(await call(agent)).toBe(2)
  })

  test('a call without an agent keeps nothing', async () => {
    await load('sticky', COUNTS)
    for (let n = 0; n < 2; n += 1) {
      expect(toSuccess(await host.tools.execute(makeCall('tool', {}))).value).toBe(1)
    }
  })
})

test.each([
  [{ engine: 'thread', state: 'frozen' }, 'state'],
  [{ engine: 'process', state: 'sticky' }, 'state'],
  [{ engine: 'isolate', state: 'frozen', isolation: 'dense' }, 'state'],
  [{ engine: 'isolate', state: 'shared' }, 'state'],
])('a profile that says %j is refused', (fields, key) => {
  const parse = (): unknown => parseProfile({ name: 'a', ...fields }, 'the test')
  expect(parse).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(key) }),
  )
})
