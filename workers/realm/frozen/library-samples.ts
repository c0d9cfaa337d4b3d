type Maker = new (...args: unknown[]) => Record<PropertyKey, unknown>
type Table = Record<string, unknown>
type Callable = (...args: unknown[]) => unknown

/** Evaluates what waits for its first use and is no property that a search could read. */
export function evaluateAll(require: (name: string) => unknown): void {
  const made = (name: string): Table => require(name) as Table
  call(made('crypto'), 'getHashes')
  call(made('util'), 'inspect', [{ a: 1 }])
  call(made('util'), 'isDeepStrictEqual', { a: [1] }, { a: [1] })
  // Names that are not ASCII have tables of their own.
  create('URL', 'http://münchen.example/')
  call(made('url'), 'domainToUnicode', 'xn--mnchen-3ya.example')
  call(made('url'), 'pathToFileURL', '/a')
}

/**
 * Instances of what the realm offers besides the language: their classes are often reached through
 * them alone.
 */
export function createLibrarySamples(require: (name: string) => unknown): unknown[] {
  const made = (name: string): Table => require(name) as Table
  return [
    ...createWebSamples(),
    ...createStreamSamples(),
    ...createTimerSamples(made('timers'), made('timers/promises')),
    ...createNodeSamples(made),
    ...createNodeStreamSamples(made('stream')),
  ]
}

function create(name: string, ...args: unknown[]): Record<PropertyKey, unknown> {
  return new ((globalThis as unknown as Record<string, Maker>)[name] as Maker)(...args)
}

function call(owner: unknown, key: PropertyKey, ...args: unknown[]): unknown {
  return ((owner as Record<PropertyKey, Callable>)[key] as Callable).apply(owner, args)
}

function createWebSamples(): unknown[] {
  const url = create('URL', 'http://example.com/?a=1')
  const headers = create('Headers', { a: '1' })
  const form = create('FormData')
  const controller = create('AbortController')
  const response = create('Response', 'text')
  return [
    url,
    url['searchParams'],
    call(url['searchParams'], Symbol.iterator),
    headers,
    call(headers, Symbol.iterator),
    form,
    call(form, Symbol.iterator),
    create('Request', 'http://example.com/'),
    response,
    response['body'],
    create('Blob', ['a']),
    create('File', ['a'], 'a'),
    create('TextEncoder'),
    create('TextDecoder'),
    controller,
    controller['signal'],
    create('Event', 'a'),
    create('CustomEvent', 'a'),
    create('DOMException'),
    structuredClone({ a: 1 }),
  ]
}

function createStreamSamples(): unknown[] {
  const controllers: unknown[] = []
  const start = (controller: unknown): void => void controllers.push(controller)
  const readable = create('ReadableStream', { start })
  const bytes = create('ReadableStream', {
    type: 'bytes',
    pull: (controller: Table) => void controllers.push(controller['byobRequest']),
    start,
  })
  const reader = call(bytes, 'getReader', { mode: 'byob' })
  void call(reader, 'read', new Uint8Array(1))
  const writable = create('WritableStream', { start })
  const transform = create('TransformStream', { start })
  const byteLength = create('ByteLengthQueuingStrategy', { highWaterMark: 1 })
  const count = create('CountQueuingStrategy', { highWaterMark: 1 })
  return [
    readable,
    bytes,
    reader,
    writable,
    call(writable, 'getWriter'),
    transform,
    ...controllers,
    call(create('ReadableStream'), 'getReader'),
    call(create('ReadableStream'), Symbol.asyncIterator),
    byteLength,
    byteLength['size'],
    count,
    count['size'],
  ]
}

function createTimerSamples(timers: Table, promises: Table): unknown[] {
  const nothing = (): void => undefined
  return [
    call(timers, 'setTimeout', nothing),
    call(timers, 'setInterval', nothing),
    call(timers, 'setImmediate', nothing),
    call(promises, 'setInterval', 1),
  ]
}

function createNodeSamples(made: (name: string) => Table): unknown[] {
  const { EventEmitter } = made('events') as unknown as { EventEmitter: Maker }
  const { StringDecoder } = made('string_decoder') as unknown as { StringDecoder: Maker }
  const hooks = made('async_hooks') as unknown as Record<string, Maker>
  const { AsyncLocalStorage, AsyncResource } = hooks as Record<string, Maker> & {
    AsyncLocalStorage: Maker
    AsyncResource: Maker
  }
  const { Buffer } = made('buffer') as unknown as { Buffer: typeof globalThis.Buffer }
  const [crypto, url] = [made('crypto'), made('url')]
  const emitter = new EventEmitter()
  return [
    emitter,
    call(made('events'), 'on', emitter, 'a'),
    new StringDecoder('utf8'),
    new AsyncLocalStorage(),
    new AsyncResource('a'),
    Buffer.from('a'),
    call(Buffer.from('a'), 'entries'),
    call(crypto, 'createHash', 'sha256'),
    call(crypto, 'createHmac', 'sha256', 'a'),
    call(url, 'parse', 'http://example.com/'),
    call(made('querystring'), 'parse', 'a=1'),
    call(made('util'), 'promisify', () => 0),
    failedAssertion(made('assert')),
  ]
}

function failedAssertion(assert: Table): unknown {
  try {
    return call(assert, 'deepStrictEqual', { a: 1 }, { a: 2 })
  } catch (error) {
    return error
  }
}

function createNodeStreamSamples(stream: Table): unknown[] {
  const options = {
    read: () => undefined,
    write: (_chunk: unknown, _encoding: unknown, done: () => void) => done(),
  }
  const make = (name: string): Record<PropertyKey, unknown> => new (stream[name] as Maker)(options)
  return [
    make('Readable'),
    make('Writable'),
    make('Duplex'),
    make('Transform'),
    make('PassThrough'),
    call(make('Readable'), Symbol.asyncIterator),
    call(stream['Readable'], 'from', [1]),
  ]
}
