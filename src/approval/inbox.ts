import type { Disposer } from '../types/decision.ts'
import type { Clock } from './clock.ts'
import { parseAnswer } from './race.ts'
import type {
  Answerer,
  AnswererKind,
  AnswerReceipt,
  ApprovalAnswer,
  ApprovalQuestion,
} from './types.ts'

/** Open asks that are answered by their id, by a program or a page of the embedder's own. */
export interface Inbox {
  readonly answerer: Answerer
  /** True while somebody promised to look at `pending()`; else nobody waits for it alone. */
  readonly isWatched: boolean
  pending(): readonly ApprovalQuestion[]
  answer(askId: string, answer: unknown): AnswerReceipt
  /** Says that answers come: of a program, or of people that the embedder vouches for. */
  watch(kind: AnswererKind): Disposer
}

const REMEMBERED_MS = 30_000
const MAX_REMEMBERED = 1_000

interface OpenAsk {
  readonly question: ApprovalQuestion
  readonly give: (answer: ApprovalAnswer) => void
}

/** Creates an inbox. A settled ask stays known for 30 s, so that a late answer learns what happened. */
export function createInbox(clock: Clock): Inbox {
  const open = new Map<string, OpenAsk>()
  const settled = new Map<string, number>()
  const watchers = new Set<{ readonly kind: AnswererKind }>()
  const kindOf = (): AnswererKind =>
    [...watchers].some(({ kind }) => kind === 'human') ? 'human' : 'program'
  const forget = (): void => {
    for (const [id, at] of settled) {
      if (clock.now() - at < REMEMBERED_MS && settled.size <= MAX_REMEMBERED) return
      settled.delete(id)
    }
  }
  return {
    get isWatched() {
      return watchers.size > 0
    },
    answerer: {
      id: 'inbox',
      get kind() {
        return kindOf()
      },
      available: () => true,
      ask(question, signal) {
        const { promise, resolve } = Promise.withResolvers<ApprovalAnswer | undefined>()
        open.set(question.askId, { question, give: resolve })
        const close = (): void => {
          open.delete(question.askId)
          settled.set(question.askId, clock.now())
          forget()
          resolve(undefined)
        }
        if (signal.aborted) close()
        else signal.addEventListener('abort', close, { once: true })
        return promise
      },
    },
    pending: () => [...open.values()].map(({ question }) => question),
    answer(askId, given) {
      forget()
      const ask = open.get(askId)
      if (ask === undefined) return settled.has(askId) ? 'already-decided' : 'unknown'
      const answer = parseAnswer(given, ask.question, { kind: kindOf() })
      if (answer === undefined) return 'refused'
      open.delete(askId)
      settled.set(askId, clock.now())
      ask.give(answer)
      return 'accepted'
    },
    watch(kind) {
      const watcher = { kind }
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
  }
}
