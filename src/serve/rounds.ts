import { createHash, randomUUID } from 'node:crypto'
import type { ElicitationForm } from '../approval/elicitation.ts'
import { toCanonicalJson } from '../policies/canonical-json.ts'
import type { CallResult } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'

/** What a round of a call ended with: its result, or a question that has to be answered first. */
export type Round =
  | { readonly kind: 'result'; readonly result: CallResult }
  | { readonly kind: 'question'; readonly form: ElicitationForm }

/** A call whose client answers questions by asking again. */
export interface RoundedCall {
  readonly id: string
  /** Belongs to exactly this tool and these arguments. */
  readonly digest: string
  /** Puts a question to the client; resolves with its answer, `undefined` when there is none. */
  ask(form: ElicitationForm, signal: AbortSignal): Promise<unknown>
  /** Gives the answer to the open question; `undefined` is none, and the question stays open. */
  answer(given: unknown): void
  /** What comes next. */
  next(): Promise<Round>
  settle(result: CallResult): void
}

/** Calls that wait for their clients to come back. */
export interface Rounds {
  open(name: string, args: JsonValue): RoundedCall
  /** The call of an id, when the request is about the same tool and arguments. */
  find(id: string, name: string, args: JsonValue): RoundedCall | undefined
  /** The call has been answered for good, or nobody will come for it. */
  drop(id: string): void
}

const MAX_WAITING = 1_000
/** How long a result waits for a client that was asked something and has not come back. */
const KEPT_MS = 60_000

/** Creates the register; the oldest waiting call is forgotten when there are too many. */
export function createRounds(): Rounds {
  const waiting = new Map<string, RoundedCall>()
  return {
    open(name, args) {
      const call = createRoundedCall(digestOf(name, args), (id) => void waiting.delete(id))
      waiting.set(call.id, call)
      const [oldest] = waiting.keys()
      if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest)
      return call
    },
    find(id, name, args) {
      const call = waiting.get(id)
      return call?.digest === digestOf(name, args) ? call : undefined
    },
    drop: (id) => void waiting.delete(id),
  }
}

function createRoundedCall(digest: string, forget: (id: string) => void): RoundedCall {
  const id = randomUUID()
  let result: CallResult | undefined
  let question: { readonly form: ElicitationForm; resolve(answer: unknown): void } | undefined
  let news = Promise.withResolvers<void>()
  const tell = (): void => {
    news.resolve()
    news = Promise.withResolvers<void>()
  }
  return {
    id,
    digest,
    ask(form, signal) {
      return new Promise((resolve) => {
        const asked = { form, resolve }
        question = asked
        signal.addEventListener(
          'abort',
          () => {
            if (question === asked) question = undefined
            resolve(undefined)
          },
          { once: true },
        )
        tell()
      })
    },
    answer(given) {
      if (given === undefined) return
      question?.resolve(given)
      question = undefined
    },
    async next() {
      for (;;) {
        if (result !== undefined) return { kind: 'result', result }
        if (question !== undefined) return { kind: 'question', form: question.form }
        await news.promise
      }
    },
    settle(given) {
      result = given
      question = undefined
      tell()
      setTimeout(() => forget(id), KEPT_MS).unref()
    },
  }
}

function digestOf(name: string, args: JsonValue): string {
  return createHash('sha256')
    .update(`${name}\n${toCanonicalJson(args)}`)
    .digest('hex')
}
