/**
 * Two tools that go through everything that their call can reach: `inspect` says what it finds, as one
 * text for each way; `touch` marks, empties and overwrites all of it, and calls every function there is.
 */
export const FUZZ: string = `
  import EventEmitter from 'node:events'
  import * as stream from 'node:stream'
  import * as crypto from 'node:crypto'
  ${[
    'assert',
    'async_hooks',
    'buffer',
    'console',
    'fs',
    'fs/promises',
    'os',
    'path',
    'perf_hooks',
    'process',
    'querystring',
    'stream/promises',
    'string_decoder',
    'timers',
    'timers/promises',
    'url',
    'util',
    'util/types',
  ]
    .map((name, at) => `import * as m${at} from 'node:${name}'`)
    .join('\n')}
  const modules = { EventEmitter, stream, crypto, ${Array.from({ length: 18 }, (_, at) => `m${at}`).join()} }
  let counter = 0
  const samples = () => ({
    url: new URL('http://x.example/?a=1'),
    headers: new Headers({ a: '1' }),
    response: new Response('x'),
    controller: new AbortController(),
    reader: new ReadableStream().getReader(),
    writer: new WritableStream().getWriter(),
    emitter: new EventEmitter(),
    readable: new stream.Readable({ read() {} }),
    hash: crypto.createHash('sha256'),
    timer: setTimeout(() => 0, 60000),
    buffer: Buffer.from('x'),
    generator: (function* () {})(),
    asyncGenerator: (async function* () {})(),
    segments: new Intl.Segmenter('en').segment('x'),
    iterator: [].values(),
    error: new Error('x'),
    regexp: /x/g,
    map: new Map([[1, 2]]),
    instant: Temporal.Instant.from('2020-01-01T00:00:00Z'),
  })
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'
  const OWN = new Set(['exec', 'here'])
  const MAX = 30000

  function walk(exec, visit) {
    const roots = { globalThis, real: new Function('return this')(), modules, samples: samples(), exec, here: [__caisson_require, __caisson_module] }
    const seen = new Set()
    const waiting = Object.entries(roots).map(([way, value]) => [way, value])
    const add = (way, value) => {
      if (!isObject(value) || seen.has(value) || seen.size > MAX) return
      seen.add(value)
      waiting.push([way, value])
    }
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [way, owner] = next
      visit(way, owner)
      add(way + '.__proto__', Reflect.getPrototypeOf(owner))
      for (const key of Reflect.ownKeys(owner)) {
        const at = way + '.' + String(key)
        const found = Reflect.getOwnPropertyDescriptor(owner, key)
        if (found === undefined) continue
        add(at, found.value)
        add(at + ':get', found.get)
        add(at + ':set', found.set)
        if (found.get !== undefined) try {
          const got = owner[key]
          got?.then?.(undefined, () => 0)
          add(at + ':got', got)
        } catch {}
      }
    }
    return seen.size
  }

  function describe(owner, key) {
    const found = Reflect.getOwnPropertyDescriptor(owner, key)
    let value = found.value
    if (found.get !== undefined) try { value = owner[key]; value?.then?.(undefined, () => 0) } catch { value = 'throws' }
    const shown = isObject(value) ? typeof value : String(value)
    return String(key) + '=' + (key === 'timeOrigin' || key === 'stack' ? '' : shown)
  }

  const SKIPPED = /timeOrigin|callId|rootCallId/
  const texts = (owner) => Reflect.ownKeys(owner).filter((key) => !SKIPPED.test(String(key))).map((key) => describe(owner, key)).join()
  const inner = (owner) => {
    if (owner instanceof Map || owner instanceof Set) try { return owner.size } catch {}
    if (owner instanceof Date) try { return owner.getTime() } catch {}
    if (ArrayBuffer.isView(owner)) return owner.byteLength
    if (owner instanceof RegExp) try { return owner.source + owner.lastIndex } catch {}
    return ''
  }

  // Would end the call, or leave a rejection that nobody could catch.
  const UNCALLED = /fetch|modules.m[45]|timeout$|wait$|removeListener|removeAllListeners|off$|reject|exit|abort|setUncaught|kill|nextTick|queueMicrotask|pipeline|compose|finished|addAbortSignal|wrap|eos|destroy|deferContext|concludeTurn|__caisson|callbackify|asyncIterator|pipeTo|pipeThrough|tee|cancel|from$/i
  const MARK = 'leak'

  function touch(way, owner, calls) {
    const attempts = [
      () => { owner[MARK] = MARK },
      () => Object.defineProperty(owner, 'leak2', { value: MARK }),
      () => owner.set(MARK, MARK),
      () => owner.add(MARK),
      () => owner.push(MARK),
      () => owner.fill(7),
      () => owner.setTime(7),
      () => owner.compile(MARK),
    ]
    if (calls) {
      for (const key of Reflect.ownKeys(owner)) {
        attempts.push(() => { owner[key] = MARK })
        attempts.push(() => { delete owner[key] })
      }
      attempts.push(() => Object.setPrototypeOf(owner, null))
    }
    if (calls && typeof owner === 'function' && !UNCALLED.test(way)) {
      for (const args of [[], [7], [MARK, 7], [{ leak: 7 }], [() => MARK, MARK]]) {
        attempts.push(() => Reflect.apply(owner, undefined, args))
        attempts.push(() => Reflect.apply(owner, globalThis, args))
        attempts.push(() => Reflect.construct(owner, args))
      }
    }
    for (const attempt of attempts) {
      try {
        const result = attempt()
        if (isObject(result)) Promise.prototype.then.call(Promise.resolve(result), () => 0, () => 0)
      } catch {}
    }
  }

  const tool = (name, execute) => ({
    name,
    description: name,
    parameters: { type: 'object' },
    output: { schema: {}, render: () => [{ type: 'text', text: 'done' }] },
    execute,
  })
  export default [
    tool('inspect', (_args, exec) => {
      counter += 1
      const found = { counter: String(counter) }
      walk(exec, (way, owner) => { found[way] = texts(owner).slice(0, 4000) + '|' + inner(owner) })
      return found
    }),
    tool('touch', async ({ calls }, exec) => {
      counter += 1
      const all = []
      const objects = walk(exec, (way, owner) => void all.push([way, owner]))
      for (const [way, owner] of all) {
        // The sandbox's own message to the call, and what this walk needs itself.
        if (!way.startsWith('exec')) touch(way, owner, calls)
      }
      // Whatever it has set off comes to its end, or is told as an error that nobody caught.
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { objects }
    }),
  ]
`
