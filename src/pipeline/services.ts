import { freezeDeep } from '../json/freeze.ts'
import type { Registration } from '../registry/registration.ts'
import type { CallServices, TunnelRequest } from '../types/engine.ts'
import type { ToolProgress } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'
import type { Call } from './call.ts'

/** Where what a body says goes. */
export interface ServiceHost {
  log(call: Call, level: string, text: string): void
  progress(call: Call, update: ToolProgress): void
  /** Answers a capability request or throws the refusal. */
  request(attempt: CapabilityAttempt, capability: string, payload: JsonValue): Promise<JsonValue>
  /** Connects a program with a granted host, or throws the refusal. */
  tunnel(attempt: CapabilityAttempt, request: TunnelRequest): Promise<JsonValue>
  /** Plain JSON data without the secrets that show in it. */
  scrub<T>(value: T): T
}

/** One attempt at a body, as the brokers know it. */
export interface CapabilityAttempt {
  readonly call: Call
  readonly registration: Registration
  /** Aborts when the attempt is over. */
  readonly signal: AbortSignal
  /** Environment names of secrets by the stand-in that the body sees. */
  readonly standIns: ReadonlyMap<string, string>
}

/** A short call's updates all pass; of a long one's, one per interval. */
const PROGRESS_BURST = 10
const PROGRESS_INTERVAL_MS = 100
/** What an entry costs besides its text, so that empty ones are not free. */
const LOG_ENTRY_BYTES = 16
const NONE: ReadonlyMap<string, string> = new Map()

/** The services of one attempt. After `close()` nothing it asks for is honoured. */
export function createServices(
  call: Call,
  registration: Registration,
  host: ServiceHost,
): AttemptServices {
  return new Services(call, registration, host)
}

/** What a body is offered, and what dispatch asks of it. */
export interface AttemptServices extends CallServices {
  /** Whether the body has begun. */
  readonly started: boolean
  close(): void
}

class Services implements AttemptServices, CapabilityAttempt {
  readonly call: Call
  readonly registration: Registration
  readonly #host: ServiceHost
  #open = true
  #started = false
  #logBytesLeft: number
  #dropped = 0
  // Few attempts report progress, hold secrets or ask for anything; the others do without.
  #mayProgress: (() => boolean) | undefined
  #standIns: Map<string, string> | undefined
  #ended: AbortController | undefined

  constructor(call: Call, registration: Registration, host: ServiceHost) {
    this.call = call
    this.registration = registration
    this.#host = host
    this.#logBytesLeft = registration.operator.logBytes
  }

  get standIns(): ReadonlyMap<string, string> {
    return this.#standIns ?? NONE
  }

  get signal(): AbortSignal {
    this.#ended ??= new AbortController()
    if (!this.#open) this.#ended.abort()
    return this.#ended.signal
  }

  get started(): boolean {
    return this.#started
  }

  bodyStarted(): void {
    this.#started = true
  }

  deferContext(message: JsonValue): void {
    if (this.#open) this.call.bodyContexts.push(freezeDeep(this.#host.scrub(message)))
  }

  concludeTurn(): void {
    if (this.#open) this.call.concluded = true
  }

  log(level: string, text: string): void {
    if (!this.#open) return
    const bytes = Buffer.byteLength(text) + LOG_ENTRY_BYTES
    if (bytes > this.#logBytesLeft) {
      this.#dropped += 1
      return
    }
    this.#logBytesLeft -= bytes
    this.#host.log(this.call, level, this.#host.scrub(text))
  }

  logDropped(entries: number): void {
    if (this.#open) this.#dropped += entries
  }

  progress(update: ToolProgress): void {
    this.#mayProgress ??= createAllowance(PROGRESS_BURST, PROGRESS_INTERVAL_MS)
    if (!this.#open || !this.#mayProgress()) return
    this.#host.progress(this.call, this.#host.scrub(update))
  }

  lendSecrets(given: Readonly<Record<string, string>>): void {
    this.#standIns ??= new Map()
    for (const [name, standIn] of Object.entries(given)) this.#standIns.set(standIn, name)
  }

  request(capability: string, payload: JsonValue): Promise<JsonValue> {
    return this.#host.request(this, capability, payload)
  }

  tunnel(request: TunnelRequest): Promise<JsonValue> {
    return this.#host.tunnel(this, request)
  }

  close(): void {
    if (!this.#open) return
    if (this.#dropped > 0) {
      this.#host.log(this.call, 'warn', `${this.#dropped} log entries were dropped (logBytes)`)
    }
    this.#open = false
    this.#ended?.abort()
  }
}

/** Says yes `burst` times at once, and once more for each interval that has passed. */
function createAllowance(burst: number, intervalMs: number): () => boolean {
  let left = burst
  let last = performance.now()
  return () => {
    const now = performance.now()
    left = Math.min(burst, left + (now - last) / intervalMs)
    last = now
    if (left < 1) return false
    left -= 1
    return true
  }
}
