import { expect, test } from 'vitest'
import { openArena, patience, valueOf } from './attack.ts'

const arena = openArena()
const LOG_BYTES = 64 * 1024
const LAG_MS = 50

test('ATK-056 a million lines end in one marker with the exact number that was dropped', async () => {
  const lines = 1_000_000
  const body = `for (let i = 0; i < ${lines}; i++) console.log('line', i); return 'done'`
  const attacked = await arena.attack({ body, timeoutMs: 30_000 })
  expect(valueOf(attacked)).toBe('done')
  const kept = attacked.logs.slice(0, -1)
  expect(kept.reduce((bytes, { text }) => bytes + text.length, 0)).toBeLessThan(LOG_BYTES)
  expect(kept[0]).toEqual({ level: 'info', text: 'line 0' })
  expect(attacked.logs.at(-1)).toEqual({
    level: 'warn',
    text: `${lines - kept.length} log entries were dropped (logBytes)`,
  })
  expect(attacked.delayMs).toBeLessThan(LAG_MS * patience())
}, 40_000)

test('one line longer than the log is dropped whole, and short ones still fit', async () => {
  const body = `
    exec.log('x'.repeat(1e6))
    exec.log({ get a() { return 'y'.repeat(1e7) } })
    console.error('short')
    return 1
  `
  const attacked = await arena.attack({ body })
  expect(valueOf(attacked)).toBe(1)
  expect(attacked.logs.map(({ level }) => level)).toContain('error')
  const bytes = attacked.logs.reduce((sum, { text }) => sum + text.length, 0)
  expect(bytes).toBeLessThan(LOG_BYTES)
})

test('ATK-042 progress and lines for ever move no deadline', async () => {
  let updates = 0
  const off = arena.host.on('tools/progress', () => (updates += 1))
  const body = `
    for (let n = 0; ; n++) {
      exec.progress({ progress: n })
      console.log(n)
      await new Promise((r) => setTimeout(r, 1))
    }
  `
  const { result, delayMs } = await arena.attack({ body, timeoutMs: 1_000, kills: true })
  off()
  expect(result).toMatchObject({ isError: true, error: { code: 'TOOL_TIMEOUT', ms: 1_000 } })
  expect(updates).toBeGreaterThan(2)
  // Ten at once, and one more for each tenth of a second.
  expect(updates).toBeLessThanOrEqual(21)
  expect(delayMs).toBeLessThan(LAG_MS * patience())
})

test('contexts end at the bytes and the number a call may send', async () => {
  const body = `
    let kept = 0
    try { for (;;) { exec.deferContext({ text: 'x'.repeat(args.bytes) }); kept += 1 } }
    catch (error) { return { kept, code: error.code } }
  `
  await arena.load({ body, tool: 'defers' })
  const large = await arena.call({ tool: 'defers', args: { bytes: 100_000 }, kills: false })
  expect(valueOf(large)).toEqual({ kept: 10, code: 'PROTOCOL_ERROR' })
  expect(large.result.additionalContexts).toHaveLength(10)
  const small = await arena.call({ tool: 'defers', args: { bytes: 1 }, kills: false })
  expect(valueOf(small)).toEqual({ kept: 1_000, code: 'PROTOCOL_ERROR' })
  expect(small.delayMs).toBeLessThan(LAG_MS * patience())
})

test('ATK-043 requests beyond the number a call may make are OVERLOADED inside', async () => {
  const body = `
    const codes = {}
    const note = (error) => { codes[error.code] = (codes[error.code] ?? 0) + 1 }
    const until = Date.now() + 1000
    while (Date.now() < until) {
      const all = []
      for (let n = 0; n < 200; n++) all.push(fetch('https://example.com/' + n).catch(note))
      await all.at(-1)
    }
    return codes
  `
  const attacked = await arena.attack({ body, timeoutMs: 10_000 })
  const codes = valueOf(attacked) as Record<string, number>
  expect(Object.keys(codes).toSorted()).toEqual(['CAPABILITY_DENIED', 'OVERLOADED'])
  expect(codes['CAPABILITY_DENIED']).toBe(1_000)
  expect(attacked.delayMs).toBeLessThan(LAG_MS * patience())
})

test('ATK-043 a refusal for too many requests that ends the body keeps its code', async () => {
  const body = `
    for (let n = 0; n < 1100; n++) await fetch('https://example.com').catch((error) => {
      if (error.code === 'OVERLOADED' && n > 1050) throw error
    })
  `
  const { result } = await arena.attack({ body, timeoutMs: 10_000 })
  expect(result).toMatchObject({ isError: true, error: { code: 'OVERLOADED' } })
})
