import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'
import type { ApprovalAnswer, ApprovalQuestion } from './types.ts'

/** A question with the nonce that its one answer must carry. */
export interface ListedAsk {
  readonly question: ApprovalQuestion
  readonly nonce: string
  /** Milliseconds left; undefined for no timer. */
  readonly leftMs: number | undefined
}

type Receipt = 'accepted' | 'unknown' | 'already-decided' | 'wrong-nonce' | 'invalid'

/** Questions that wait for somebody outside of this process. */
export interface OpenAsks {
  open(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer | undefined>
  advise(askId: string, suggestion: string): void
  list(): readonly ListedAsk[]
  /** Takes `{ nonce, decision, scope?, note? }`. */
  answer(askId: string, given: unknown): Receipt
  onChange(fn: () => void): void
}

const REMEMBERED_MS = 30_000

interface Entry {
  question: ApprovalQuestion
  readonly nonce: string
  readonly until: number | undefined
  readonly give: (answer: ApprovalAnswer | undefined) => void
}

/** Creates an empty table. */
export function createOpenAsks(clock: Clock): OpenAsks {
  const open = new Map<string, Entry>()
  const settled = new Map<string, number>()
  let changed = (): void => undefined
  const settle = (askId: string): void => {
    if (!open.delete(askId)) return
    settled.set(askId, clock.now())
    for (const [id, at] of settled) {
      if (clock.now() - at < REMEMBERED_MS) break
      settled.delete(id)
    }
    changed()
  }
  return {
    open(question, signal) {
      const { promise, resolve } = Promise.withResolvers<ApprovalAnswer | undefined>()
      const { askId, seconds } = question
      const until = seconds === undefined ? undefined : clock.now() + seconds * 1_000
      open.set(askId, {
        question,
        nonce: randomBytes(12).toString('base64url'),
        until,
        give: resolve,
      })
      const taken = (): void => {
        settle(askId)
        resolve(undefined)
      }
      if (signal.aborted) taken()
      else signal.addEventListener('abort', taken, { once: true })
      changed()
      return promise
    },
    advise(askId, suggestion) {
      const entry = open.get(askId)
      if (entry === undefined) return
      entry.question = { ...entry.question, suggestion }
      changed()
    },
    list: () =>
      [...open.values()].map(({ question, nonce, until }) => ({
        question,
        nonce,
        leftMs: until === undefined ? undefined : Math.max(0, until - clock.now()),
      })),
    answer(askId, given) {
      const entry = open.get(askId)
      if (entry === undefined) return settled.has(askId) ? 'already-decided' : 'unknown'
      const { nonce, decision, scope, note } = Object(given) as Record<string, unknown>
      if (nonce !== entry.nonce) return 'wrong-nonce'
      if (decision !== 'allow' && decision !== 'reject') return 'invalid'
      const lasting = scope === 'session' ? { scope: 'session' as const } : {}
      entry.give({ decision, ...lasting, ...(typeof note === 'string' ? { note } : {}) })
      settle(askId)
      return 'accepted'
    },
    onChange(fn) {
      changed = fn
    },
  }
}
