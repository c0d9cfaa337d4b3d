import { afterEach, beforeEach, expect, test } from 'vitest'
import { measureTree } from '../../src/sandbox/process-tree.ts'
import { openArena, patience } from './attack.ts'
import { describeFlavours } from './flavours.ts'

const timeoutMs = 20_000
const MB = 2 ** 20
/** 100 MB and three times the limit, where the host ends it, and what it may get to until it is seen. */
const MOST = (100 + 3 * 64 + 150) * MB

const KEPT = 'const kept = globalThis.kept = [];'

const BOMBS = [
  ['ATK-045 small objects', `${KEPT} for (let i = 0; ; i++) kept.push({ i })`, 4_000],
  ['ATK-046 filled arrays', `${KEPT} for (;;) kept.push(new Array(1000).fill(1.1))`, 4_000],
  [
    'ATK-047 one giant array after another',
    `${KEPT} for (;;) { const b = []; b.length = 2 ** 27; b.fill(1); kept.push(b) }`,
    6_000,
  ],
  [
    'ATK-047 a hundred million pushes onto one array',
    `${KEPT} for (let i = 0; i < 1e8; i++) kept.push(i); return kept.length`,
    6_000,
  ],
  ['ATK-051 a growing Map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)', 6_000],
  ['a growing dictionary', 'const o = {}; for (let i = 0; ; i++) o["k" + i] = i', 8_000],
  [
    'growing text',
    "let s = 'x'; const kept = []; for (;;) { s += s.slice(0, 2 ** 20); kept.push([...s].length) }",
    8_000,
  ],
  [
    'memory taken in a timer',
    `${KEPT} await new Promise((r) => setTimeout(r, 5)); for (;;) kept.push(new Array(1000).fill(1.1))`,
    4_000,
  ],
] as const

/** Those that die in ways of their own; the others are only faster or slower without compilers. */
const INTERPRETED = ['ATK-046', 'ATK-047 one', 'ATK-051']

describeFlavours((options, { jit }) => {
  const arena = openArena(options)
  let peak = 0
  let watch: NodeJS.Timeout
  beforeEach(() => {
    peak = 0
    watch = setInterval(() => {
      for (const pid of arena.host.childPids()) peak = Math.max(peak, measureTree(pid).ownBytes)
    }, 10)
  })
  afterEach(() => {
    clearInterval(watch)
    expect(peak, 'resident memory of a runner').toBeLessThan(MOST)
  })

  const chosen = BOMBS.filter(([title]) => jit || INTERPRETED.some((id) => title.startsWith(id)))
  test.each(chosen)(
    '%s end as TOOL_OUT_OF_MEMORY within seconds',
    async (_title, body, withinMs) => {
      const { result, ms } = await arena.attack({ kills: true, body, timeoutMs })
      expect(result).toMatchObject({
        isError: true,
        error: { code: 'TOOL_OUT_OF_MEMORY', started: true },
      })
      expect(ms).toBeLessThan(withinMs * patience())
    },
  )

  test('ATK-048 more fixed buffers than the limit are a RangeError inside', async () => {
    const body =
      'const all = []; for (let i = 0; i < 1000; i++) all.push(new Uint8Array(1e7).fill(1))'
    const { result } = await arena.attack({ body, timeoutMs })
    expect(result).toMatchObject({
      isError: true,
      error: { code: 'TOOL_ERROR', thrown: { name: 'RangeError' } },
    })
  })

  test('ATK-049 a buffer grown after it was made never gets past the cap', async () => {
    const body = `
    const b = new ArrayBuffer(1e6, { maxByteLength: 2e9 })
    b.resize(1.9e9)
    const bytes = new Uint8Array(b)
    for (let i = 0; i < bytes.length; i += 4096) bytes[i] = 1
    return 'all of it'
  `
    const { result, ms } = await arena.attack({ body, timeoutMs })
    if (!result.isError) throw new Error('1.9 GB were had')
    expect(result.error.code).toMatch(/^(TOOL_ERROR|TOOL_OUT_OF_MEMORY)$/)
    if (result.error.code === 'TOOL_ERROR') {
      expect(result.error['thrown']).toMatchObject({ name: 'RangeError' })
    }
    expect(ms).toBeLessThan(6_000 * patience())
  })

  test('ATK-052 a split that V8 cannot hold is a death, not a hang', async () => {
    const { result, ms } = await arena.attack({
      body: "return 'x'.repeat(5e8).split('').length",
      timeoutMs,
    })
    expect(result.isError && result.error.code).toMatch(/^(TOOL_OUT_OF_MEMORY|TOOL_CRASHED)$/)
    expect(ms).toBeLessThan(4_000 * patience())
  })

  test('ATK-054 a bomb takes no call with it that runs beside it', async () => {
    await arena.load({
      tool: 'beside',
      body: 'await new Promise((r) => setTimeout(r, 400)); return args.n',
    })
    const { signal } = new AbortController()
    const others = [1, 2, 3].map((n) =>
      arena.host.tools.execute({ callId: `b${n}`, name: 'beside', arguments: { n }, signal }),
    )
    const { result } = await arena.attack({
      body: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)',
      timeoutMs,
    })
    expect(result).toMatchObject({ isError: true, error: { code: 'TOOL_OUT_OF_MEMORY' } })
    expect(await Promise.all(others)).toMatchObject([
      { isError: false, value: 1 },
      { isError: false, value: 2 },
      { isError: false, value: 3 },
    ])
  })
})
