import { expect, test } from 'vitest'
import { defineTool, openArena, valueOf } from './attack.ts'
import { isFrozen, tryEach } from './attacked-state.ts'

const arena = openArena()

const FORGE_JSON = tryEach(
  'JSON.parse = () => ({ forged: true })',
  `JSON.stringify = () => '{"forged":true}'`,
)

// Replaces what code of ours could look up, with functions that would betray that it was.
const PATCH = `
  const define = Object.defineProperty
  const own = Reflect.ownKeys
  const betray = (name) => function () { globalThis.__touched = name; throw new Error('touched ' + name) }
  const patch = () => {
    ${FORGE_JSON}
    const places = [
      [Array.prototype, 'Array'], [String.prototype, 'String'], [Map.prototype, 'Map'], [Set.prototype, 'Set'],
      [WeakMap.prototype, 'WeakMap'], [WeakSet.prototype, 'WeakSet'], [Promise.prototype, 'Promise'], [Promise, 'Promise'],
      [RegExp.prototype, 'RegExp'], [Function.prototype, 'Function'], [Reflect, 'Reflect'], [Object, 'Object'],
      [Error, 'Error'], [Math, 'Math'], [Date, 'Date'],
    ]
    for (let i = 0; i < places.length; i++) {
      const keys = own(places[i][0])
      for (let j = 0; j < keys.length; j++) {
        const name = places[i][1] + '.' + (typeof keys[j] === 'symbol' ? 'symbol' : keys[j])
        if (keys[j] === 'constructor' || keys[j] === 'prototype') continue
        try { define(places[i][0], keys[j], { __proto__: null, value: betray(name), writable: true, configurable: true }) } catch { /* fixed */ }
      }
    }
    globalThis.String = globalThis.Error = globalThis.Array = globalThis.Promise = globalThis.Object = betray('global')
    const traps = ['0', 'value', 'get', 'set', 'kind', 'then', 'ok', 'code', 'toJSON', 'name', 'message', 'progress']
    for (let i = 0; i < traps.length; i++) {
      ${tryEach("define(Object.prototype, traps[i], { __proto__: null, configurable: true, set: betray('set ' + traps[i]), get: () => undefined })")}
    }
  }
`

test('ATK-023 a body that replaces every intrinsic still gives its true value', async () => {
  const body = `
    ${PATCH}
    const before = [1, { a: 'é' }]
    patch()
    exec.log('still here')
    console.warn('and here')
    exec.deferContext({ note: 1 })
    exec.progress({ progress: 1 })
    exec.concludeTurn()
    let refused
    try { await fetch('https://example.com') } catch (error) { refused = error.code }
    const out = { __proto__: null }
    define(out, 'before', { __proto__: null, value: before, enumerable: true })
    define(out, 'refused', { __proto__: null, value: refused, enumerable: true })
    define(out, 'touched', { __proto__: null, value: globalThis.__touched ?? '', enumerable: true })
    return out
  `
  const attacked = await arena.attack({ body })
  expect(valueOf(attacked)).toEqual({
    before: [1, { a: 'é' }],
    refused: 'CAPABILITY_DENIED',
    touched: '',
  })
  expect(attacked.logs).toEqual([
    { level: 'info', text: 'still here' },
    { level: 'warn', text: 'and here' },
  ])
  expect(attacked.result).toMatchObject({
    concludesTurn: true,
    additionalContexts: [{ note: 1 }],
  })
})

test('ATK-023 what a body throws after replacing every intrinsic keeps its text', async () => {
  const body = `${PATCH} const error = new TypeError('mine'); patch(); throw error`
  const { result } = await arena.attack({ body })
  expect(result).toMatchObject({
    isError: true,
    error: { code: 'TOOL_ERROR', message: 'mine', thrown: { name: 'TypeError', message: 'mine' } },
  })
})

test('ATK-023 intrinsics replaced at the top level change no value either', async () => {
  const source = `
    ${FORGE_JSON}
    const { then } = Promise.prototype
    ${tryEach(
      'Promise.resolve = () => ({ forged: true })',
      'Promise.prototype.then = function (...given) { return then.apply(this, given) }',
    )}
    ${defineTool('attack', 'return { n: await 7, text: args.text }')}
  `
  const attacked = await arena.attack({ source, args: { text: 'true' } })
  expect(valueOf(attacked)).toEqual({ n: 7, text: 'true' })
})

test('ATK-020 a promise whose species gives its resolvers away changes nothing outside', async () => {
  const body = `
    const stolen = []
    class Thief extends Promise {
      constructor(run) { super((ok, no) => { stolen.push(ok, no); run(ok, no) }) }
      static get [Symbol.species]() { return function (run) { run((v) => stolen.push(v), (e) => stolen.push(e)) } }
    }
    ${tryEach('Object.defineProperty(Promise, Symbol.species, { get: () => Thief })')}
    const answer = await fetch('https://example.com').then(() => 'granted', (error) => error.code)
    class Odd extends Array { static get [Symbol.species]() { return function () { return globalThis.trap = { length: 0 } } } }
    const list = Odd.from([1, 2])
    exec.log('list', list)
    exec.progress(list)
    for (const settle of stolen) if (typeof settle === 'function') settle('again')
    return { answer: String(answer), kinds: stolen.filter((s) => typeof s === 'function' && s.constructor !== Function).length }
  `
  const { result } = await arena.attack({ body })
  expect(result).toMatchObject({ isError: false, value: { kinds: 0 } })
})

test('ATK-020 a tool that answers for promises can change its own value and nothing more', async () => {
  const forged = '{"kind":"unusable","code":"OUTPUT_LIMIT"},"t":"memory"'
  const body = `
    ${tryEach(
      "Object.defineProperty(Promise.prototype, 'constructor', { get: () => function () {} })",
      `Promise.prototype.then = function (ok) { ok('${forged}') }`,
    )}
    return 'value'
  `
  const value = valueOf(await arena.attack({ body }))
  // Where nobody can replace it, promises answer for themselves.
  expect(value).toBe(isFrozen ? 'value' : forged)
})

test('ATK-024 what one call deletes or replaces is back for the next', async () => {
  const source =
    defineTool(
      'first',
      `
      for (const key of ['console', 'setTimeout', 'clearTimeout', 'fetch', 'JSON', 'Promise', 'URL']) delete globalThis[key]
      for (const key of Object.keys(exec)) try { exec[key] = () => 'mine' } catch { /* frozen */ }
      globalThis.Object = class {}
      ${tryEach('Object.prototype.constructor = 1')}
      return 1
    `,
    ) +
    defineTool(
      'second',
      `
      console.log('a line')
      exec.log('another')
      await new Promise((resolve) => setTimeout(resolve, 1))
      return [typeof URL, typeof JSON.parse, Object.keys({ a: 1 }).join(), exec.name]
    `,
    )
  await arena.load({ source })
  expect(valueOf(await arena.call({ kills: false, tool: 'first' }))).toBe(1)
  const second = await arena.call({ kills: false, tool: 'second' })
  expect(valueOf(second)).toEqual(['function', 'function', 'a', 'second'])
  expect(second.logs.map(({ text }) => text)).toEqual(['a line', 'another'])
})

test('progress of the wrong shape is ignored and spoils nothing', async () => {
  const updates: unknown[] = []
  const off = arena.host.on('tools/progress', (_exec: unknown, update: unknown) =>
    updates.push(update),
  )
  const body = `
    const pause = () => new Promise((resolve) => setTimeout(resolve, 60))
    for (const update of ['50%', { progress: '1' }, null, 7, [1], { total: 3 }, { progress: NaN }]) {
      exec.progress(update)
      await pause()
    }
    exec.progress({ progress: 1, total: 'x', message: 'y'.repeat(5e3), more: {} })
    return 'done'
  `
  const attacked = await arena.attack({ body })
  off()
  expect(valueOf(attacked)).toBe('done')
  expect(updates).toEqual([{ progress: 1, message: 'y'.repeat(1_024) }])
})
