import { INHERITED } from './inherited.ts'

/** A way by which one call could leave something to the next. Both texts are bodies over `mark`. */
export interface Channel {
  readonly name: string
  /** Leaves `mark`. A throw means that it was refused. */
  readonly leave: string
  /** Gives something truthy when it sees `mark`. */
  readonly look: string
  /** Nothing is to be seen of it while the call that leaves it lasts. */
  readonly isLate?: boolean
}

const own = (name: string, owner: string): Channel => ({
  name,
  leave: `(${owner}).leak = mark`,
  look: `(${owner}).leak`,
})
const patched = (name: string, owner: string, key: string, use: string): Channel => ({
  name: `${name}, replaced`,
  leave: `const was = ${owner}.${key}
    ${owner}.${key} = function (...args) { seen.add(mark); return Reflect.apply(was, this, args) }
    ${owner}.${key}.mark = mark`,
  look: `${use}; return ${owner}.${key}.mark`,
})

/** The global object as code made from a text sees it. */
const REAL = `new Function('return this')()`

/** The channels. */
export const CHANNELS: readonly Channel[] = [
  { name: 'a variable of the module', leave: 'variable = mark', look: 'variable' },
  { name: 'a set of the module', leave: 'seen.add(mark)', look: 'seen.size > 0' },
  own('a global name', 'globalThis'),
  own('the real global object', REAL),
  {
    name: 'indirect eval',
    leave: `(0, eval)('var leak2 = 1')`,
    look: `typeof ${REAL}.leak2 === 'number'`,
  },
  ...INHERITED.map(([name, value, prototype = name]) => ({
    name: `a property of what ${name} inherits`,
    leave: `Object.defineProperty(${prototype}, 'leak', { value: mark, configurable: true })`,
    look: `${value}.leak`,
  })),
  patched('Promise.prototype.then', 'Promise.prototype', 'then', 'Promise.resolve().then(() => 0)'),
  patched('Map.prototype.get', 'Map.prototype', 'get', 'new Map().get(1)'),
  patched('JSON.parse', 'JSON', 'parse', `JSON.parse('1')`),
  {
    name: 'what a RegExp matched last',
    leave: `/m(a)rk/.exec(mark); if (!('$1' in RegExp)) throw new Error('there is nothing')`,
    look: `RegExp.$1 === 'a' || RegExp.lastMatch === 'mark' || RegExp.input === 'mark'`,
  },
  {
    name: 'template objects',
    leave: 'const at = tag(); at.leak = mark; at.raw.leak = mark',
    look: 'tag().leak ?? tag().raw.leak',
  },
  {
    name: 'how stacks are written',
    leave: 'Error.prepareStackTrace = () => mark',
    look: `new Error('x').stack === mark`,
  },
  {
    name: 'how long stacks are',
    leave: 'Error.stackTraceLimit = 3',
    look: 'Error.stackTraceLimit === 3',
  },
  {
    name: 'a timer',
    leave: 'setTimeout(() => (variable = mark), 1)',
    look: 'variable',
    isLate: true,
  },
  {
    name: 'an interval',
    leave: 'setInterval(() => (variable = mark), 1)',
    look: 'variable',
    isLate: true,
  },
  {
    name: 'a promise that waits',
    leave: `void fetch('https://x.example').catch(() => 0).then(() => (variable = mark))`,
    look: 'variable',
    isLate: true,
  },
  {
    name: 'the margin of the console',
    leave: 'console.group(); logged.push(1)',
    look: 'logged.length > 0',
  },
  {
    name: 'the counters of the console',
    leave: `console.count('x'); seen.add(1)`,
    look: 'seen.size > 0',
  },
  own('the console', 'console'),
  {
    name: 'console.log, replaced',
    leave: 'console.log = Object.assign(() => 0, { leak: mark })',
    look: 'console.log.leak',
  },
  { name: 'the environment', leave: 'process.env.LEAK = mark', look: 'process.env.LEAK' },
  own('process', 'process'),
  own('the output of process', 'process.stdout'),
  {
    name: 'the pool of Buffer',
    leave: 'for (let n = 0; n < 64; n++) Buffer.allocUnsafe(128).fill(mark)',
    look: 'Array.from({ length: 64 }, () => Buffer.allocUnsafe(128)).some((b) => b.includes(mark))',
    isLate: true,
  },
  own('Buffer', 'Buffer'),
  own('TextDecoder', 'TextDecoder'),
  {
    name: 'what a TextDecoder has begun',
    leave: `new TextDecoder().decode(new Uint8Array([0xc3]), { stream: true })`,
    look: `new TextDecoder().decode(new Uint8Array([0xa9])) === 'é'`,
    isLate: true,
  },
  own('fetch', 'fetch'),
  own('structuredClone', 'structuredClone'),
  own('setTimeout', 'setTimeout'),
  own('performance', 'performance'),
  own('Math', 'Math'),
  own('Intl', 'Intl.DateTimeFormat'),
  ...[
    'path',
    'util',
    'events',
    'fs',
    'crypto',
    'timers',
    'url',
    'os',
    'buffer',
    'assert',
    'stream',
    'console',
    'process',
    'caisson',
    '@deepseek-ai/dsh-tools',
    '@deepseek-ai/cordis',
  ].map((name) => own(`module ${name}`, `given('${name}')`)),
  {
    name: 'a function of a module, replaced',
    leave: `given('path').join = () => mark`,
    look: `given('path').join('a') === mark`,
  },
  {
    name: 'the listeners that emitters allow',
    leave: 'EventEmitter.defaultMaxListeners = 77',
    look: 'EventEmitter.defaultMaxListeners === 77 || new EventEmitter().getMaxListeners() === 77',
  },
  {
    name: 'the options of inspect',
    leave: 'util.inspect.defaultOptions = { depth: 77 }',
    look: 'util.inspect.defaultOptions.depth === 77',
  },
  {
    name: 'the options of inspect, changed',
    leave: 'util.inspect.defaultOptions.depth = 77',
    look: 'util.inspect.defaultOptions.depth === 77',
  },
  {
    name: 'the high water mark of streams',
    leave: 'stream.setDefaultHighWaterMark(false, 77)',
    look: 'new stream.Readable().readableHighWaterMark === 77',
  },
  {
    name: 'how queries are read',
    leave: `given('querystring').unescape = () => mark`,
    look: `querystring.unescape('a') === mark`,
  },
  { name: 'the store of a call', leave: 'storage.enterWith(mark)', look: 'storage.getStore()' },
  {
    name: 'a promisified timer',
    leave: `Object.defineProperty(setTimeout, util.promisify.custom ?? Symbol.for('nodejs.util.promisify.custom'), { value: mark })`,
    look: `setTimeout[Symbol.for('nodejs.util.promisify.custom')] === mark`,
  },
  own('require', '__caisson_require'),
  own('the module', '__caisson_module'),
  own('the tool', 'tools[0]'),
  own('what the body is given', 'Object.getPrototypeOf(exec)'),
  own('a function that the body is given', 'exec.log'),
  own('the signal', 'exec.signal'),
  {
    name: 'a listener on the signal',
    leave: `exec.signal.addEventListener('abort', () => 0); seen.add(1)`,
    look: 'seen.size > 0',
  },
  {
    name: 'a WeakMap keyed by what is shared',
    leave: `globalThis.weak = new WeakMap([[Object.prototype, mark]])`,
    look: 'globalThis.weak?.get(Object.prototype)',
  },
  {
    name: 'a private name stamped on what is shared',
    leave: 'new Stamp(Object.prototype, mark)',
    look: 'Stamp.read(Object.prototype)',
  },
]
