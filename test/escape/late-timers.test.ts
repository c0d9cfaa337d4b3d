import { expect, test } from 'vitest'
import { defineTool, defineTools, openArena, patience, valueOf } from './attack.ts'

const arena = openArena()

test('ATK-040 timers armed before the answer never fire after it', async () => {
  const source =
    defineTool(
      'arms',
      `
      for (const ms of [0, 1, 20, 50]) setTimeout(() => { fetch('https://example.com').catch(() => 0); console.log('late') }, ms)
      setInterval(() => console.log('late'), 5)
      fetch('https://example.com').catch(() => console.log('late'))
      return 'early'
    `,
    ) + defineTool('other', 'await new Promise((r) => setTimeout(r, 120)); return 1')
  await arena.load({ source })
  const attacked = await arena.call({ tool: 'arms' })
  expect(valueOf(attacked)).toBe('early')
  expect(attacked.logs).toEqual([])
  // A later call in the same runner hears nothing of them either.
  const other = await arena.call({ tool: 'other' })
  expect(valueOf(other)).toBe(1)
  expect(other.logs).toEqual([])
})

// A rejection that nothing holds may be collected before it is heard of, and harms nobody then.
const LEAVING = {
  forgets: `
    const left = Promise.reject(new Error('forgotten'))
    setTimeout(() => { throw new Error('thrown late', { cause: left }) }, 1)
    return 'fine'
  `,
  fails_midway: `
    setTimeout(() => { throw new Error('thrown in a timer') }, 1)
    await new Promise((r) => setTimeout(r, 20))
    return 'fine'
  `,
  waits: 'await new Promise((r) => setTimeout(r, 60)); return 1',
}

test.each([
  // Once it has settled there is no call to charge anything to.
  ['forgets', []],
  ['fails_midway', [{ level: 'error', text: 'unhandled rejection: thrown in a timer' }]],
])(
  'ATK-064 BUG-22 what a body that %s leaves is its own affair, and its runner is not kept',
  async (tool, logs) => {
    const attacked = await arena.attack({ kills: true, source: defineTools(LEAVING), tool })
    expect(valueOf(attacked)).toBe('fine')
    expect(attacked.logs).toEqual(logs)
  },
)

test('a body whose timers fail for ever is heard ten times', async () => {
  const body = `
    setInterval(() => { throw new Error('again') }, 1)
    await new Promise((r) => setTimeout(r, 200))
    return 'fine'
  `
  const attacked = await arena.attack({ body, kills: true })
  expect(valueOf(attacked)).toBe('fine')
  expect(attacked.logs.length).toBeLessThanOrEqual(10)
  expect(new Set(attacked.logs.map(({ text }) => text))).toEqual(
    new Set(['unhandled rejection: again']),
  )
})

test('ATK-064 BUG-22 a call that runs meanwhile is not concerned', async () => {
  const file = await arena.writeSource(defineTools(LEAVING))
  await using _loaded = await arena.host.tools.load(file)
  const { signal } = new AbortController()
  const run = (name: string, callId: string): Promise<unknown> =>
    arena.host.tools.execute({ callId, name, arguments: {}, signal })
  const results = await Promise.all([
    run('waits', 'a'),
    run('forgets', 'b'),
    run('waits', 'c'),
    run('fails_midway', 'd'),
    run('waits', 'e'),
  ])
  const values = ['1', '"fine"', '1', '"fine"', '1'].map((text) => JSON.parse(text) as unknown)
  expect(results).toMatchObject(values.map((value) => ({ isError: false, value })))
})

test.each([
  ['burns', 'Promise.resolve().then(() => { for (;;); }); return "settled"'],
  ['re-arms', 'const go = () => Promise.resolve().then(go); go(); return "settled"'],
  [
    'burns once it has settled',
    `
    const spin = () => { for (;;); }
    return { then(ok) { ok('settled'); (async () => { for (let i = 0; i < 50; i++) await 0; spin() })() } }
  `,
  ],
])('a body that settles and %s loses its runner within moments', async (_title, body) => {
  const { result, ms } = await arena.attack({ kills: true, body, timeoutMs: 800 })
  // Where the loop keeps the answer itself from leaving, the deadline ends it.
  if (result.isError) expect(result.error.code).toBe('TOOL_TIMEOUT')
  else expect(ms).toBeLessThan(600 * patience())
})
