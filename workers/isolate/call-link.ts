// Runs inside hostile realms: everything used after tool code has run is captured at the top.
import { quotedBytes, utf8Bytes } from '../../src/json/bytes.ts'
import { hasOwn, parseText, quoteText, sliceText, writeOwn } from '../../src/json/intrinsics.ts'
import { DEFAULT_JSON_LIMITS } from '../../src/json/limits.ts'
import { tryWriteJson } from '../../src/json/write.ts'
import type { CallSignal } from './exec.ts'
import type { AbortReason, BrokerAnswer, RealmLimits } from './protocol.ts'

/** What connects one live call to the host: logs, contexts, capability requests, its signal. */
export interface CallLink {
  open(limits: RealmLimits, signal: CallSignal): void
  isLive(): boolean
  /** After this nothing is sent, and what is still waited for is never answered. */
  close(): void
  abort(reason: AbortReason): void
  log(level: string, text: string): void
  /** Sends a message that counts; false when the call has none left, or is over. */
  post(text: string): boolean
  /** Sends a context message; false when the call has no messages or bytes left, or is over. */
  defer(message: string): boolean
  /** Sends a progress update, unless it has no shape or one was sent a moment ago. */
  progress(update: unknown): void
  request(capability: string, payload: unknown): Promise<unknown>
  answer(n: number, answer: BrokerAnswer): void
  refusalOf(thrown: unknown): string | undefined
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

const bind = Function.prototype.call.bind(Function.prototype.bind) as (
  fn: unknown,
  ...args: unknown[]
) => (...args: never[]) => unknown
const weakGet = bind(Function.prototype.call, WeakMap.prototype.get) as (
  map: object,
  key: object,
) => string | undefined
const weakSet = bind(Function.prototype.call, WeakMap.prototype.set) as (
  map: object,
  key: object,
  value: string,
) => void
const RealPromise = Promise
const RealWeakMap = WeakMap
const RealError = Error
const now: () => number = Date.now
const { create } = Object

const LOG_ENTRY_BYTES = 16
const PROGRESS_INTERVAL_MS = 50
const PROGRESS_LIMITS = { depth: 4, nodes: 64, bytes: 16_384 }
const MAX_PROGRESS_TEXT = 1_024
const MAX_REASON = 160

/** Binds the realm to the bridge `send`. Nothing is sent while no call is open. */
export function createCallLink(send: (text: string) => void): CallLink {
  let live: CallSignal | undefined
  let sequence = 0
  let messagesLeft = 0
  let requestsLeft = 0
  let requestBytes = 0
  /** The host's own refusal of the first request that was too many; it speaks for all further ones. */
  let overdrawn: { readonly n: number; ref?: string } | undefined
  let lastProgress = 0
  let logBytesLeft = 0
  let contextBytesLeft = 0
  let dropped = 0
  const waiting = create(null) as Record<number, Waiting | undefined>
  let refusals: WeakMap<object, string> | undefined
  const remember = (error: Error, ref: string): void => {
    refusals ??= new RealWeakMap()
    weakSet(refusals, error, ref)
  }

  const post = (text: string): boolean => {
    if (live === undefined || messagesLeft <= 0) return false
    messagesLeft -= 1
    send(text)
    return true
  }
  return {
    isLive: () => live !== undefined,
    open(limits, signal) {
      live = signal
      logBytesLeft = limits.logBytes
      messagesLeft = limits.messages
      requestsLeft = limits.messages
      requestBytes = limits.requestBytes
      overdrawn = undefined
      contextBytesLeft = limits.outputBytes
      dropped = 0
      lastProgress = 0
    },
    close() {
      if (dropped > 0) send(`{"k":"dropped","entries":${dropped}}`)
      live = undefined
    },
    abort(reason) {
      const error = new RealError(reason.message)
      writeOwn(error, 'name', reason.name)
      if (reason.code !== undefined) writeOwn(error, 'code', reason.code)
      live?.abort(error)
    },
    log(level, text) {
      if (live === undefined) return
      const cost = logBytesLeft > LOG_ENTRY_BYTES ? quotedBytes(text) + LOG_ENTRY_BYTES : Infinity
      if (cost > logBytesLeft) {
        dropped += 1
        return
      }
      logBytesLeft -= cost
      send(`{"k":"log","level":${quoteText(level)},"text":${quoteText(text)}}`)
    },
    post,
    defer(message) {
      const bytes = utf8Bytes(message)
      if (bytes > contextBytesLeft) return false
      contextBytesLeft -= bytes
      return post(`{"k":"context","message":${message}}`)
    },
    progress(update) {
      const at = now()
      if (live === undefined || at - lastProgress < PROGRESS_INTERVAL_MS) return
      const text = writeProgress(update)
      if (text !== undefined && post(`{"k":"progress","update":${text}}`)) lastProgress = at
    },
    request(capability, payload) {
      return new RealPromise((resolve, reject) => {
        if (live === undefined) return reject(refused('CAPABILITY_DENIED', 'no call is live'))
        const text = writeRequest(payload, requestBytes)
        if (overdrawn !== undefined) {
          const error = refused('OVERLOADED', 'the call has made all of its requests')
          if (overdrawn.ref !== undefined) remember(error, overdrawn.ref)
          return reject(error)
        }
        const n = (sequence += 1)
        requestsLeft -= 1
        if (requestsLeft < 0) overdrawn = { n }
        waiting[n] = { resolve, reject }
        send(`{"k":"request","n":${n},"capability":${quoteText(capability)},"payload":${text}}`)
      })
    },
    answer(n, answer) {
      const entry = waiting[n]
      if (entry === undefined || live === undefined) return
      delete waiting[n]
      if (isGranted(answer)) return entry.resolve(answer.ok)
      const { code, message, ref } = answer.err
      if (overdrawn?.n === n) overdrawn.ref = ref
      const error = refused(code, message)
      remember(error, ref)
      entry.reject(error)
    },
    refusalOf: (thrown) =>
      refusals !== undefined && typeof thrown === 'object' && thrown !== null
        ? weakGet(refusals, thrown)
        : undefined,
  }
}

/** The payload as JSON; or why there is none, for the host to refuse it by a code of its own. */
function writeRequest(payload: unknown, bytes: number): string {
  const { depth, nodes } = DEFAULT_JSON_LIMITS
  const written = tryWriteJson(payload, { depth, nodes, bytes }, 'request')
  if (written.kind === 'text') return written.text
  return `{"unsendable":${quoteText(sliceText(`${written.message}`, 0, MAX_REASON))}}`
}

/** The update as JSON of the shape that the host accepts, or undefined. */
function writeProgress(update: unknown): string | undefined {
  const written = tryWriteJson(update, PROGRESS_LIMITS, 'progress')
  if (written.kind === 'fault') return undefined
  const copy = parseText(written.text)
  const progress = ownField(copy, 'progress')
  const total = ownField(copy, 'total')
  const message = ownField(copy, 'message')
  if (typeof progress !== 'number') return undefined
  const bounded = typeof total === 'number' ? `,"total":${total}` : ''
  if (typeof message !== 'string') return `{"progress":${progress}${bounded}}`
  const told = quoteText(sliceText(message, 0, MAX_PROGRESS_TEXT))
  return `{"progress":${progress}${bounded},"message":${told}}`
}

function ownField(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

// Own, because a tool may have put an `ok` on `Object.prototype`.
function isGranted(answer: BrokerAnswer): answer is BrokerAnswer & { readonly ok: unknown } {
  return hasOwn(answer, 'ok')
}

function refused(code: string, message: string): Error {
  const error = new RealError(message)
  writeOwn(error, 'name', 'CapabilityError')
  writeOwn(error, 'code', code)
  return error
}
