import {
  apply,
  dateNow,
  defineTag,
  defineValue,
  enqueueMicrotask,
  stringSlice,
  toBigInt,
  toBytesOf,
} from './intrinsics.ts'
import { cut } from './inspect/format.ts'
import { invalidArgument, withCode } from './node-errors.ts'
import { decodeUtf8 } from './utf8.ts'

const NODE_VERSION = '24.0.0'

/** What `process` is made of. */
export interface ProcessParts {
  readonly env: Readonly<Record<string, string>>
  /** When what the process serves began. */
  origin(): number
  log(level: string, text: string): void
}

/**
 * `process` as plain facts that are the same on every machine, and `env` as given. Nothing in it
 * reaches a process: `exit`, `abort` and `chdir` refuse, `binding`, `dlopen`, `kill` are absent.
 */
export function createProcess({ env, origin, log }: ProcessParts): NodeJS.Process {
  const process = {
    ...toFacts(),
    env: { ...env },
    stdout: toOutput((text) => log('info', text), 1),
    stderr: toOutput((text) => log('error', text), 2),
    cwd: () => '/workspace',
    umask: () => 0o022,
    uptime: () => (dateNow() - origin()) / 1_000,
    hrtime: toHrtime(origin),
    nextTick(callback: unknown, ...args: unknown[]): void {
      if (typeof callback !== 'function') {
        throw invalidArgument('callback', 'of type function', callback)
      }
      void enqueueMicrotask(() => void apply(callback as never, undefined, args))
    },
    emitWarning: () => undefined,
    exit: () => refuse('exit'),
    abort: () => refuse('abort'),
    chdir: () => refuse('chdir'),
  }
  addListening(process)
  defineTag(process, 'process')
  return process as never
}

function toFacts(): Record<string, unknown> {
  return {
    title: 'tool',
    platform: 'linux',
    arch: 'x64',
    version: `v${NODE_VERSION}`,
    versions: { node: NODE_VERSION, v8: '13.6' },
    release: { name: 'node' },
    pid: 1,
    ppid: 0,
    argv: [],
    argv0: 'node',
    execArgv: [],
    execPath: '/usr/bin/node',
    exitCode: undefined,
    features: { inspector: false },
    config: { variables: {}, target_defaults: {} },
  }
}

/** Listeners are accepted and never called: nothing happens to this process. */
function addListening(process: Record<string, unknown>): void {
  const nothing = (): unknown => process
  const names = ['on', 'once', 'off', 'addListener', 'removeListener', 'removeAllListeners']
  for (let at = 0; at < names.length; at += 1) {
    defineValue(process, names[at] as string, nothing, true)
  }
  defineValue(process, 'prependListener', nothing, true)
  defineValue(process, 'setMaxListeners', nothing, true)
  defineValue(process, 'emit', () => false, true)
  defineValue(process, 'listeners', () => [], true)
  defineValue(process, 'listenerCount', () => 0, true)
}

/** What is written is a line of the console. */
function toOutput(print: (text: string) => void, fd: number): Record<string, unknown> {
  return {
    fd,
    isTTY: false,
    writable: true,
    write(chunk: unknown, ...rest: unknown[]): boolean {
      const bytes = toBytesOf(chunk)
      const text = bytes === undefined ? `${chunk as string}` : decodeUtf8(bytes)
      const line = text[text.length - 1] === '\n' ? stringSlice(text, 0, -1) : text
      print(cut(line, 10_000))
      const callback = rest[rest.length - 1]
      if (typeof callback === 'function') {
        void enqueueMicrotask(() => void apply(callback as never, undefined, []))
      }
      return true
    },
    end: () => undefined,
    on: () => undefined,
    once: () => undefined,
  }
}

function toHrtime(origin: () => number): unknown {
  const nanoseconds = (): bigint => toBigInt(dateNow() - origin()) * 1_000_000n
  const hrtime = (from?: readonly [number, number]): [number, number] => {
    const now = dateNow() - origin()
    let seconds = (now - (now % 1_000)) / 1_000
    let rest = (now % 1_000) * 1_000_000
    if (from !== undefined) {
      seconds -= from[0]
      rest -= from[1]
    }
    return rest < 0 ? [seconds - 1, rest + 1e9] : [seconds, rest]
  }
  defineValue(hrtime, 'bigint', nanoseconds, true)
  return hrtime
}

function refuse(what: string): never {
  throw withCode(new Error(`process.${what}() is not offered to a tool`), 'CAPABILITY_DENIED')
}
