import type { Clock } from './clock.ts'
import type { Answerer, ApprovalAnswer, ApprovalQuestion, RaceEnd } from './types.ts'

/** What a reviewer says: a claim settles, advice stands beside the question. */
export type Opinion =
  | { readonly kind: 'claim'; readonly decision: 'allow' | 'reject' }
  | { readonly kind: 'advice'; readonly text: string }

/** One ask that involves waiting. */
export interface RaceAsk {
  readonly question: ApprovalQuestion
  /** When the last of them is out nobody is left. */
  readonly answerers: readonly Answerer[]
  /** They may answer too, and nobody waits for them. */
  readonly bystanders: readonly Answerer[]
  /** Aborts when the call ends from outside or everything closes: nothing is decided then. */
  readonly signal: AbortSignal
  /** How long only a reviewer may settle; 0 shows the question at once. */
  readonly quietMs: number
  /** A second model, told when it must be done. It stops at the signal; a rejection is no opinion. */
  readonly review?:
    ((signal: AbortSignal, deadline: number) => Promise<Opinion | undefined>) | undefined
}

export interface RaceIo {
  readonly clock: Clock
  /** An answerer broke; nothing else comes of it. */
  answererFailed(id: string): void
  /** Something came after the end, and was ignored. */
  late(what: string): void
}

/**
 * Waits for the first of: an answer, the timer, a claim, the end of the call, or nobody left. Exactly
 * one settles; then the others are told through one signal. Never rejects.
 */
export function race(ask: RaceAsk, io: RaceIo): Promise<RaceEnd> {
  const { promise, resolve } = Promise.withResolvers<RaceEnd>()
  const stop = new AbortController()
  const timers: (() => void)[] = []
  let isOver = false
  let isShown = false
  let suggestion: string | undefined
  let deadline = Infinity
  const settle = (end: RaceEnd, what: string): void => {
    if (isOver) return io.late(what)
    isOver = true
    ask.signal.removeEventListener('abort', cancel)
    for (const clear of timers) clear()
    resolve(end)
    stop.abort()
  }
  const cancel = (): void => settle({ kind: 'cancelled' }, 'cancel')
  const timeout = (): void => settle({ kind: 'timeout' }, 'timer')
  // A blocked event loop gives nobody extra time: the clock decides, not the timer's callback.
  const inTime = (what: string): boolean => {
    if (isOver) io.late(what)
    else if (io.clock.now() >= deadline) timeout()
    return !isOver
  }
  const show = (): void => {
    if (isOver) return
    const { seconds } = ask.question
    if (seconds !== undefined) {
      deadline = io.clock.now() + seconds * 1_000
      timers.push(io.clock.after(seconds * 1_000, timeout))
    }
    isShown = true
    const question = suggestion === undefined ? ask.question : { ...ask.question, suggestion }
    askAll(
      { ...ask, question: Object.freeze(question) },
      { stop: stop.signal, inTime, settle, failed: io.answererFailed },
    )
  }
  const advise = (text: string): void => {
    suggestion = text
    if (!isShown || isOver) return
    for (const answerer of [...ask.answerers, ...ask.bystanders])
      tell(answerer, ask.question.askId, text)
  }
  if (ask.signal.aborted) cancel()
  else {
    ask.signal.addEventListener('abort', cancel, { once: true })
    if (ask.review !== undefined) {
      const latest = io.clock.now() + ask.quietMs + (ask.question.seconds ?? 0) * 1_000
      ask.review(stop.signal, latest).then(
        (opinion) => {
          if (opinion?.kind === 'advice') return advise(opinion.text)
          if (opinion === undefined || !inTime('claim')) return
          settle({ kind: 'claim', decision: opinion.decision }, 'claim')
        },
        () => undefined,
      )
    }
    if (ask.quietMs > 0) timers.push(io.clock.after(ask.quietMs, show))
    else show()
  }
  return promise
}

interface Round {
  readonly stop: AbortSignal
  inTime(what: string): boolean
  settle(end: RaceEnd, what: string): void
  failed(id: string): void
}

function askAll({ answerers, bystanders, question }: RaceAsk, round: Round): void {
  let left = answerers.length
  if (left === 0) return round.settle({ kind: 'unavailable' }, 'nobody')
  for (const answerer of [...answerers, ...bystanders]) {
    const withdraw = (): void => {
      if (answerers.includes(answerer)) left -= 1
      if (left === 0) round.settle({ kind: 'unavailable' }, 'withdrawal')
    }
    askOne(answerer, question, round).then(
      (answer) => {
        // What is taken down withdraws; that is no late answer.
        if (answer === undefined && round.stop.aborted) return
        if (!round.inTime(`answer of ${answerer.id}`)) return
        if (answer === undefined) return withdraw()
        const { id, kind } = answerer
        const end: RaceEnd =
          answer.decision === 'cancel'
            ? { kind: 'cancelled' }
            : { kind: 'answer', answer, by: { id, kind } }
        round.settle(end, `answer of ${id}`)
      },
      () => {
        round.failed(answerer.id)
        if (round.inTime(`failure of ${answerer.id}`)) withdraw()
      },
    )
  }
}

async function askOne(
  answerer: Answerer,
  question: ApprovalQuestion,
  { stop }: Round,
): Promise<ApprovalAnswer | undefined> {
  return parseAnswer(await answerer.ask(question, stop), question, answerer)
}

/** Exactly an answer, or `undefined`. A locked ask takes an allow from nobody but a human, once. */
export function parseAnswer(
  given: unknown,
  question: Pick<ApprovalQuestion, 'locked' | 'sessionScope'>,
  { kind }: Pick<Answerer, 'kind'>,
): ApprovalAnswer | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { decision, scope, note } = given as Record<string, unknown>
  if (decision !== 'allow' && decision !== 'reject' && decision !== 'cancel') return undefined
  if (decision === 'allow' && question.locked && kind !== 'human') return undefined
  const isLasting = scope === 'session' && kind === 'human' && question.sessionScope
  return Object.freeze({
    decision,
    scope: isLasting ? ('session' as const) : ('once' as const),
    ...(typeof note === 'string' ? { note: note.slice(0, 1_000) } : {}),
  })
}

function tell(answerer: Answerer, askId: string, text: string): void {
  try {
    answerer.advise?.(askId, text)
  } catch {
    // Advice that cannot be shown is only advice.
  }
}
