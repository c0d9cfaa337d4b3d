import { createInterface, type Interface } from 'node:readline'
import { escapeText } from '../cards/escape.ts'
import type { Disposer } from '../types/decision.ts'
import { SYSTEM_CLOCK, type Clock } from './clock.ts'
import { drawDetails, drawQuestion } from './draw-question.ts'
import type { Answerer, ApprovalAnswer, ApprovalQuestion } from './types.ts'

/** Where a person sits. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
}

export interface TerminalOptions extends Partial<TerminalStreams> {
  readonly clock?: Clock
}

/** What the terminal answerer is added to. */
interface AnswererPlace {
  readonly approval: {
    readonly settings: { readonly answerers: { readonly terminal: boolean } }
    addAnswerer(answerer: Answerer): Disposer
  }
}

const TICK_MS = 1_000

/** Has questions asked on this terminal unless the settings say no; off a terminal it asks nobody. */
export function attachTerminalApproval(
  host: AnswererPlace,
  options: TerminalOptions = {},
): Disposer {
  const { approval } = host
  if (!approval.settings.answerers.terminal) return () => undefined
  return approval.addAnswerer(createTerminalAnswerer(options))
}

/**
 * A person at the terminal, asked one question at a time: `y` allows once, `s` this exact call for the
 * session, `n` or Enter refuses, `d` shows more, Ctrl-C dismisses. A locked ask wants `allow` typed out.
 */
export function createTerminalAnswerer(options: TerminalOptions = {}): Answerer {
  const stdin = options.stdin ?? process.stdin
  const stderr = options.stderr ?? process.stderr
  const clock = options.clock ?? SYSTEM_CLOCK
  let turn: Promise<unknown> = Promise.resolve()
  let shown: Prompt | undefined
  return {
    id: 'terminal',
    kind: 'human',
    available: () => stdin.isTTY === true && stderr.isTTY === true,
    ask(question, signal) {
      const begun = clock.now()
      const mine = turn.then(async () => {
        if (signal.aborted) return undefined
        shown = openPrompt(question, begun, { stdin, stderr, clock }, signal)
        try {
          return await shown.answer
        } finally {
          shown.close()
          shown = undefined
        }
      })
      turn = mine.catch(() => undefined)
      return mine
    },
    advise(askId, suggestion) {
      if (shown?.askId === askId) shown.say(`Suggestion: ${escapeText(suggestion)}`)
    },
  }
}

interface Prompt {
  readonly askId: string
  readonly answer: Promise<ApprovalAnswer | undefined>
  say(line: string): void
  close(): void
}

function openPrompt(
  question: ApprovalQuestion,
  begun: number,
  { stdin, stderr, clock }: TerminalStreams & { readonly clock: Clock },
  signal: AbortSignal,
): Prompt {
  const { promise, resolve } = Promise.withResolvers<ApprovalAnswer | undefined>()
  for (const line of drawQuestion(question)) stderr.write(`${line}\n`)
  const terminal = createInterface({ input: stdin, output: stderr, terminal: true })
  const ask = (keepCursor: boolean): void => {
    terminal.setPrompt(promptOf(question, begun, clock))
    terminal.prompt(keepCursor)
  }
  const say = (line: string): void => {
    stderr.write(`\n${line}\n`)
    ask(true)
  }
  let cancelTick = (): void => undefined
  const tick = (): void => {
    ask(true)
    cancelTick = clock.after(TICK_MS, tick)
  }
  const answers = { resolve, say, ask }
  terminal.on('line', (line) => readLine(line, question, answers))
  terminal.on('SIGINT', () => resolve({ decision: 'cancel' }))
  terminal.on('close', () => resolve(undefined))
  const taken = (): void => resolve(undefined)
  signal.addEventListener('abort', taken, { once: true })
  ask(false)
  if (question.seconds !== undefined) cancelTick = clock.after(TICK_MS, tick)
  return {
    askId: question.askId,
    answer: promise,
    say,
    close() {
      cancelTick()
      signal.removeEventListener('abort', taken)
      closeQuietly(terminal)
    },
  }
}

function promptOf(question: ApprovalQuestion, begun: number, clock: Clock): string {
  const { seconds, locked, sessionScope, onTimeout } = question
  const left =
    seconds === undefined
      ? ''
      : ` (${Math.max(0, Math.ceil(seconds - (clock.now() - begun) / 1_000))} s, then ${onTimeout})`
  if (locked) return `Type allow to allow this once, d for details, Enter to refuse${left}: `
  return `Allow? y once${sessionScope ? ', s this call for the session' : ''}, n no, d details${left} [N] `
}

interface Answers {
  resolve(answer: ApprovalAnswer): void
  say(line: string): void
}

function readLine(line: string, question: ApprovalQuestion, { resolve, say }: Answers): void {
  const word = line.trim().toLowerCase()
  if (word === '' || word === 'n' || word === 'no') return resolve({ decision: 'reject' })
  if (word === 'd') return say(drawDetails(question).join('\n'))
  if (question.locked) {
    if (word === 'allow') return resolve({ decision: 'allow', scope: 'once' })
    return say('This is locked: only the word allow allows it.')
  }
  if (word === 'y' || word === 'yes') return resolve({ decision: 'allow', scope: 'once' })
  if (word === 's' && question.sessionScope) {
    return resolve({ decision: 'allow', scope: 'session' })
  }
  say('Answer y, n or d.')
}

function closeQuietly(terminal: Interface): void {
  terminal.removeAllListeners('line')
  terminal.close()
}
