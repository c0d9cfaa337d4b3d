import type { CallResult } from '../../src/index.ts'
import { expectedCode, type EngineName, type Kind } from './kinds.ts'

/** One call as it was made. */
export interface MadeCall {
  readonly id: number
  readonly nonce: string
  readonly engine: EngineName
  readonly kind: Kind
  readonly begun: number
}

/** Everything that was called and what came of it, each checked against its own call. */
export interface Ledger {
  readonly made: number
  readonly settled: number
  readonly failures: Readonly<Record<string, number>>
  readonly violations: readonly string[]
  /** The most bodies that were seen to run at once in an engine since the last time this was asked. */
  takePeak(engine: EngineName): number
  begin(call: Omit<MadeCall, 'id' | 'begun'>): MadeCall
  /** `aborted`: its caller gave up on it. */
  settle(call: MadeCall, result: CallResult, aborted: boolean): void
  /** The host has announced the result of that call id. */
  announced(callId: string): void
  /** The body of that call id says that it has begun. */
  entered(callId: string): void
  /** A child of the host was killed from outside. */
  killed(): void
  /** Adds what can be said only once everything is over. */
  close(): void
}

/** How long before a call a kill may have hit what served it. */
const KILL_REACH_MS = 2_000
const SAID_PER_KIND = 5
const ABORT_CODES = ['ABORTED', 'ABORTED_BEFORE_DISPATCH']
const KILL_CODES = ['TOOL_CRASHED', 'ENGINE_UNAVAILABLE']

/** Creates an empty ledger for at most `most` calls. */
export function createLedger(most: number): Ledger {
  const results = new Uint8Array(most)
  const events = new Uint8Array(most)
  const entries = new Uint8Array(most)
  const failures: Record<string, number> = {}
  const violations: string[] = []
  const said: Record<string, number> = {}
  const live = new Map<number, MadeCall>()
  const running = new Map<EngineName, number>()
  const peaks = new Map<EngineName, number>()
  let made = 0
  let settled = 0
  let kills = 0
  let victims = 0
  let lastKill = -Infinity

  const violate = (what: string, facts: string): void => {
    said[what] = (said[what] ?? 0) + 1
    if (said[what] <= SAID_PER_KIND) violations.push(`${what}: ${facts}`)
  }
  const isExcused = (call: MadeCall, result: CallResult, aborted: boolean): boolean => {
    if (!result.isError) return false
    const { code, collateral, message } = result.error
    if (aborted && ABORT_CODES.includes(code)) return true
    // Neighbours that die or take the CPU are what an operator who shares runners has chosen.
    if (call.engine === 'dense' && code === 'TOOL_CRASHED' && collateral === true) return true
    if (call.engine === 'dense' && message.endsWith('longer than its budget')) return true
    const wasHit = lastKill > call.begun - KILL_REACH_MS && KILL_CODES.includes(code)
    if (!wasHit || call.engine === 'inline' || call.engine === 'thread') return false
    // One that is shared dies with all of its calls.
    if (call.engine !== 'dense') victims += 1
    return true
  }
  return {
    get made() {
      return made
    },
    get settled() {
      return settled
    },
    failures,
    violations,
    takePeak(engine) {
      const peak = peaks.get(engine) ?? 0
      peaks.delete(engine)
      return peak
    },
    begin(given) {
      const call = { ...given, id: (made += 1) - 1, begun: performance.now() }
      live.set(call.id, call)
      return call
    },
    settle(call, result, aborted) {
      settled += 1
      live.delete(call.id)
      if (entries[call.id] !== 0) {
        running.set(call.engine, (running.get(call.engine) ?? 0) - 1)
      }
      results[call.id] = (results[call.id] ?? 0) + 1
      const where = `call ${call.id}, ${call.kind} in ${call.engine}`
      const code = result.isError ? result.error.code : undefined
      if (code !== undefined) failures[code] = (failures[code] ?? 0) + 1
      const expected = expectedCode(call.kind, call.engine)
      if (code !== expected && !isExcused(call, result, aborted)) {
        const text = result.isError ? result.error.message : 'it succeeded'
        violate('wrong outcome', `${where}: ${code ?? 'ok'}, not ${expected ?? 'ok'} (${text})`)
      }
      if (!result.isError) {
        const { id, nonce } = Object(result.value) as { id?: unknown; nonce?: unknown }
        if (id !== call.id || nonce !== call.nonce) {
          violate('mixed up', `${where} has the answer of call ${String(id)}`)
        }
        if (entries[call.id] !== 1) {
          violate('body not run once', `${where}: ${entries[call.id]} times, and it succeeded`)
        }
      }
      if (results[call.id] !== 1) violate('doubled', where)
    },
    announced(callId) {
      const id = Number(callId)
      events[id] = (events[id] ?? 0) + 1
      if (events[id] !== 1) violate('doubled', `the result of call ${callId} was announced again`)
    },
    entered(callId) {
      const id = Number(callId)
      entries[id] = (entries[id] ?? 0) + 1
      if (entries[id] !== 1) {
        return violate('body not run once', `call ${callId} was entered again`)
      }
      const engine = live.get(id)?.engine
      if (engine === undefined) return
      const count = (running.get(engine) ?? 0) + 1
      running.set(engine, count)
      peaks.set(engine, Math.max(count, peaks.get(engine) ?? 0))
    },
    killed() {
      kills += 1
      lastKill = performance.now()
    },
    close() {
      for (let id = 0; id < made; id += 1) {
        if (results[id] === 0) violate('lost', `call ${id} never settled`)
        else if (events[id] !== 1) violate('lost', `the result of call ${id} was not announced`)
      }
      if (victims > kills) violate('wrong outcome', `${victims} calls died of ${kills} kills`)
      for (const [what, times] of Object.entries(said)) {
        if (times > SAID_PER_KIND) violations.push(`${what}: ${times - SAID_PER_KIND} more`)
      }
    },
  }
}
