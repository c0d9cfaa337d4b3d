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
): { readonly offered: CallServices; started(): boolean; close(): void } {
  let open = true
  let started = false
  let logBytesLeft = registration.operator.logBytes
  let dropped = 0
  // Few attempts report progress, hold secrets or ask for anything; the others do without.
  let mayProgress: (() => boolean) | undefined
  let standIns: Map<string, string> | undefined
  let ended: AbortController | undefined
  const attempt: CapabilityAttempt = {
    call,
    registration,
    get standIns() {
      return standIns ?? NONE
    },
    get signal() {
      ended ??= new AbortController()
      if (!open) ended.abort()
      return ended.signal
    },
  }
  const offered: CallServices = {
    bodyStarted() {
      started = true
    },
    deferContext(message) {
      if (open) call.bodyContexts.push(freezeDeep(host.scrub(message)))
    },
    concludeTurn() {
      if (open) call.concluded = true
    },
    log(level, text) {
      if (!open) return
      const bytes = Buffer.byteLength(text) + LOG_ENTRY_BYTES
      if (bytes > logBytesLeft) {
        dropped += 1
        return
      }
      logBytesLeft -= bytes
      host.log(call, level, host.scrub(text))
    },
    logDropped(entries) {
      if (open) dropped += entries
    },
    progress(update) {
      mayProgress ??= createAllowance(PROGRESS_BURST, PROGRESS_INTERVAL_MS)
      if (!open || !mayProgress()) return
      host.progress(call, host.scrub(update))
    },
    lendSecrets(given) {
      standIns ??= new Map()
      for (const [name, standIn] of Object.entries(given)) standIns.set(standIn, name)
    },
    request: (capability, payload) => host.request(attempt, capability, payload),
    tunnel: (request) => host.tunnel(attempt, request),
  }
  return {
    offered,
    started: () => started,
    close() {
      if (!open) return
      if (dropped > 0) host.log(call, 'warn', `${dropped} log entries were dropped (logBytes)`)
      open = false
      ended?.abort()
    },
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
