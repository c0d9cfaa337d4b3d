import { expect, test } from 'vitest'
import { openArena, valueOf } from './attack.ts'
import { isFrozen } from './attacked-state.ts'
import { describeFlavours } from './flavours.ts'

describeFlavours((options) => {
  const arena = openArena(options)

  test('ATK-027 code made at run time sees the global of the isolate only', async () => {
    const body = `
    const indirect = eval
    const own = globalThis
    const reached = [
      eval('globalThis'),
      indirect('this'),
      new Function('return this')(),
      Object.getPrototypeOf(async function () {}).constructor('return this')(),
    ]
    reached[3] = await reached[3]
    let injected
    try { injected = new Function('/*', '*/){return this')() } catch (error) { injected = error.name }
    // What calls share, where they do, is the global of a realm in which nothing can be changed.
    const shared = (global) => ${isFrozen} && Object.isFrozen(global) && !('require' in global)
    return [reached.every((global) => global === own || shared(global)), injected]
  `
    const value = valueOf(await arena.attack({ body }))
    expect(value).toEqual([true, 'SyntaxError'])
  })

  test('ATK-027 ten megabytes of source are an EvalError inside', async () => {
    const body = `
    const text = '0;'.repeat(5e6)
    const names = []
    for (const make of [eval, (t) => eval(t), (t) => new Function(t)])
      try { names.push(typeof make(text)) } catch (error) { names.push(error.name) }
    return names
  `
    const attacked = await arena.attack({ body, timeoutMs: 10_000 })
    expect(valueOf(attacked)).toEqual(['EvalError', 'EvalError', 'EvalError'])
  })
})
