import { expect, test } from 'vitest'
import { toSuccess } from '../helpers/make-call.ts'
import { defineTool, openArena, valueOf } from './attack.ts'
import { tryEach } from './attacked-state.ts'

const arena = openArena()

const LEAVE = `
  globalThis.left = 'left'
  ${tryEach(
    "Object.prototype.left = 'left'",
    "Array.prototype.left = 'left'",
    "Function.prototype.left = 'left'",
    "Error.prepareStackTrace = () => 'left'",
    "process.left = 'left'",
    "exec.constructor.left = 'left'",
  )}
  process.env.LEFT = 'left'
  store.push('left')
  counter += 1
  'left'.match(/l(e)f/)
  setTimeout(() => store.push('late'), 5)
  Promise.resolve().then(() => store.push('later'))
  try { process.chdir('/tmp') } catch { /* refused */ }
  return { counter, store: store.length }
`
const LOOK = `
  counter += 1
  return {
    counter,
    store: [...store],
    found: [
      'left' in globalThis, 'left' in {}, 'left' in [], 'left' in (() => 0), 'left' in process,
      'LEFT' in process.env, String(new Error('x').stack) === 'left', RegExp.$1 === 'e',
    ].filter(Boolean).length,
  }
`

test('ATK-107 nothing a call leaves is seen by the next, of the same tool or another', async () => {
  const source = `
    let counter = 0
    const store = []
    ${defineTool('leaves', LEAVE)}
    ${defineTool('looks', LOOK)}
  `
  await arena.load({ source })
  for (let round = 0; round < 3; round += 1) {
    const left = await arena.call({ kills: false, tool: 'leaves' })
    expect(valueOf(left)).toEqual({ counter: 1, store: 1 })
    expect(valueOf(await arena.call({ kills: false, tool: 'looks' }))).toEqual({
      counter: 1,
      store: [],
      found: 0,
    })
  }
})

test('ATK-055 every one of a thousand calls finds the module as it was written', async () => {
  const source = `
    const kept = new Map()
    ${defineTool('hoards', 'kept.set(args.n, new Array(1000).fill(args.n)); return kept.size')}
  `
  await arena.load({ source })
  const agent = arena.host.openSession().agent('many')
  const { signal } = new AbortController()
  for (let n = 0; n < 1_000; n += 1) {
    const call = { callId: `${n}`, name: 'hoards', arguments: { n }, signal }
    expect(toSuccess(await agent.tools.execute(call)).value).toBe(1)
  }
}, 60_000)
