import { expect, test } from 'vitest'
import { openArena } from './attack.ts'
import { describeFlavours } from './flavours.ts'

describeFlavours((options) => {
  const arena = openArena(options)
  const timeoutMs = 400
  const TIMEOUT = { isError: true, error: { code: 'TOOL_TIMEOUT', ms: timeoutMs, started: true } }

  test.each([
    ['ATK-032 an endless loop', 'while (true) {}'],
    ['ATK-033 a loop without an interrupt check', 'for (;;) { new Array(1000).fill(1) }'],
    [
      'ATK-034 a promise callback that re-arms itself',
      'const go = () => Promise.resolve().then(go); await go()',
    ],
    ['ATK-034 awaiting nothing for ever', 'for (;;) await 0'],
    ['ATK-035 a spin after a timer', 'await new Promise((r) => setTimeout(r, 5)); for (;;);'],
    [
      'ATK-035 a refused request over and over',
      'for (;;) await fetch("https://example.com").catch(() => 0)',
    ],
    ['ATK-036 a promise that never settles', 'await new Promise(() => {})'],
    ['ATK-037 a catastrophic regular expression', "return /^(a+)+$/.test('a'.repeat(40) + 'b')"],
  ])('%s is TOOL_TIMEOUT and its runner is replaced', async (_title, body) => {
    const { result } = await arena.attack({ kills: true, body, timeoutMs })
    expect(result).toMatchObject(TIMEOUT)
    expect(result.attempts).toHaveLength(1)
  })
})
