import { beforeAll, expect, test } from 'vitest'
import { defineTool, openArena, valueOf } from './attack.ts'
import { isFrozen } from './attacked-state.ts'
import { describeFlavours } from './flavours.ts'

describeFlavours((options) => {
  const arena = openArena(options)

  // From everything the body is given, by every way to a constructor, to whatever global that is of.
  const WALK = `
  const seen = new Set()
  const outside = []
  const globals = new Set()
  const look = (value, path, depth) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return
    if (seen.has(value) || depth > 4) return
    seen.add(value)
    let reached
    try { reached = value.constructor.constructor('return this')() } catch { /* no way through */ }
    if (reached !== undefined) globals.add(reached)
    const tag = Object.prototype.toString.call(value)
    const name = typeof value === 'function' ? value.name : value.constructor?.name
    if (/^(Isolate|Context|Reference|ExternalCopy|Callback|Module|Script|NativeModule)$/.test(name)
      || /ivm|isolated/i.test(String(name)) || /ivm|Reference/.test(tag)) outside.push(path)
    for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
      for (const key of Reflect.ownKeys(at)) {
        let inner
        try { inner = at === value ? value[key] : Reflect.get(at, key, value) } catch (error) { inner = error }
        look(inner, path + '.' + String(key), depth + 1)
      }
    }
  }
`
  const GIVEN = `
  ${WALK}
  const caught = []
  try { null.x } catch (error) { caught.push(error) }
  try { exec.deferContext(undefined) } catch (error) { caught.push(error) }
  try { new Array(-1) } catch (error) { caught.push(error) }
  const refused = await fetch('https://example.com').catch((error) => error)
  const asked = fetch('https://example.com')
  asked.catch(() => 0)
  for (const [name, value] of Object.entries({ args, exec, caught, refused, asked, fetch, setTimeout, console, process })) look(value, name, 0)
  for (const value of Object.values(exec)) look(value, 'exec.*', 0)
  const of = (global) => ({
    // What calls share, where they do, is the global of a realm in which nothing can be changed.
    own: global === globalThis || (${isFrozen} && Object.isFrozen(global)),
    require: typeof global.require,
    process: ['binding', 'dlopen', 'kill', 'getBuiltinModule', 'mainModule', '_linkedBinding', 'reallyExit']
      .filter((key) => key in (global.process ?? {})),
  })
  return { globals: [...globals].map(of), outside, seen: seen.size > 100 }
`
  const GLOBAL = `${WALK} look(globalThis, 'globalThis', 0); return { outside, seen: seen.size > 500 }`
  const LISTED = `
  return Object.getOwnPropertyNames(globalThis).filter((name) => /ivm|isolated|caisson|__/i.test(name))
`

  beforeAll(() =>
    arena.load({
      source:
        defineTool('given', GIVEN) +
        defineTool('everything', GLOBAL) +
        defineTool('listed', LISTED),
      timeoutMs: 10_000,
    }),
  )

  test('ATK-018 every constructor leads to the global of the isolate and to no other', async () => {
    const value = valueOf(await arena.call({ tool: 'given', timeoutMs: 10_000 }))
    expect(value).toEqual({
      globals: [{ own: true, require: 'undefined', process: [] }],
      outside: [],
      seen: true,
    })
  })

  test('ATK-022 no object of the isolate library is anywhere in reach', async () => {
    const value = valueOf(await arena.call({ tool: 'everything', timeoutMs: 10_000 }))
    expect(value).toEqual({ outside: [], seen: true })
    expect(valueOf(await arena.call({ tool: 'listed' }))).toEqual([])
  })
})
