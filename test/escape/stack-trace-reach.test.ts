import { beforeAll, expect, test } from 'vitest'
import { defineTool, openArena, valueOf } from './attack.ts'
import { isFrozen, tryEach } from './attacked-state.ts'
import { describeFlavours } from './flavours.ts'

describeFlavours((options) => {
  const arena = openArena(options)

  const SITES = `
  const sites = []
  const prepare = (error, given) => {
    for (const site of given) {
      sites.push({
        file: site.getFileName() ?? null,
        this: site.getThis() === undefined ? 'nothing' : site.getThis() === globalThis ? 'global' : 'other',
        fn: site.getFunction() === undefined ? 'nothing' : 'reached',
        eval: site.isEval() ? String(site.getEvalOrigin()) : null,
      })
    }
    return 'prepared'
  }
  ${tryEach('Error.prepareStackTrace = prepare')}
  const touch = (error) => String(error?.stack)
  try { exec.deferContext({ a: undefined }) } catch (error) { touch(error) }
  try { exec.deferContext({ get a() { throw new Error('inner') } }) } catch (error) { touch(error) }
  exec.log({ get a() { touch(new Error('in a log')); return 1 } })
  exec.progress({ get progress() { touch(new Error('in progress')); return 1 } })
  exec.signal.addEventListener('abort', () => 0)
  await fetch('https://example.com').catch(touch)
  await new Promise((resolve) => setTimeout(() => { touch(new Error('in a timer')); resolve() }, 1))
  touch(new Error('here'))
  return sites
`
  const TEXT = `
  const texts = []
  const touch = (error) => texts.push(String(error?.stack))
  try { exec.deferContext({ a: undefined }) } catch (error) { touch(error) }
  await fetch('https://example.com').catch(touch)
  touch(new Error('here'))
  return texts
`
  interface Site {
    readonly file: string | null
    readonly this: string
    readonly fn: string
    readonly eval: string | null
  }

  beforeAll(() => arena.load({ source: defineTool('sites', SITES) + defineTool('texts', TEXT) }))

  test('ATK-019 call sites show nothing but the tool and the realm', async () => {
    const sites = valueOf(await arena.call({ tool: 'sites' })) as unknown as Site[]
    // Where nobody can ask for call sites there are none to look at.
    if (isFrozen) expect(sites).toEqual([])
    else expect(sites.length).toBeGreaterThan(10)
    for (const site of sites) {
      expect(site.file ?? 'tool:').toMatch(/^tool:/)
      expect(site.this).toBe('nothing')
      expect(site.eval).toBeNull()
    }
  })

  test('ATK-019 no function of the bridge can be had from a call site', async () => {
    const sites = valueOf(await arena.call({ tool: 'sites' })) as unknown as Site[]
    expect(sites.filter(({ file, fn }) => file !== 'tool:bundle' && fn === 'reached')).toEqual([])
  })

  test('ATK-019 stack texts name virtual files only', async () => {
    const texts = valueOf(await arena.call({ tool: 'texts' })) as unknown as string[]
    expect(texts).toHaveLength(3)
    for (const text of texts) {
      for (const [place] of text.matchAll(/[^\s(]+:\d+:\d+/g)) expect(place).toMatch(/^tool:/)
      expect(text).not.toMatch(/node:|file:|\/(work|home|root|usr|tmp|node_modules)\b/)
    }
  })
})
