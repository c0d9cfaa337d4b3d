import type { CallServices } from '../../types/engine.ts'
import type { RealmLimits, RealmRequest } from '../../../workers/isolate/protocol.ts'
import { createAnswers } from '../shared/answers.ts'
import { PROJECTION_BUDGET_MS, type Conversation, type Ending } from '../shared/conversation.ts'
import { ENVELOPE_BYTES } from '../shared/request.ts'
import { parseEvent, type RealmEvent } from '../shared/parse-event.ts'
import { startWorkTimer } from '../shared/work-timer.ts'
import type { RunnerProcess } from './runner-process.ts'
import type { SeatLimits } from './seat.ts'

export interface ConversationSpec {
  readonly request: RealmRequest
  readonly services: CallServices | undefined
}

/** Sends one request and listens until it settles or the runner is dead. */
export function converse(
  runner: RunnerProcess,
  limits: SeatLimits,
  { request, services }: ConversationSpec,
): Conversation {
  let id = ''
  const ending = Promise.withResolvers<Ending>()
  const quiet = Promise.withResolvers<boolean>()
  const answers = createAnswers(
    services,
    (n, answer) => new Promise((sent) => runner.send({ t: 'answer', id, n, answer }, sent)),
  )
  const quota = createQuota(request.limits)
  let enteredAt: number | undefined
  let open = true
  let stopBudget = (): void => undefined

  const limit = (stage: string, ms: number): void => {
    stopBudget()
    stopBudget = startWorkTimer({ ms, cpuMs: runner.cpuMs?.bind(runner) }, () => {
      ending.resolve({ by: 'overran', stage })
      runner.kill('killed', `${stage} passed its budget`)
    })
  }
  const end = (): void => {
    open = false
    stopBudget()
    answers.close()
  }
  const hear = (event: RealmEvent, size: number): void => {
    if (event.k === 'settle') {
      end()
      ending.resolve({ by: 'settled', outcome: event.outcome })
    } else if (event.k === 'phase') limit(event.phase, PROJECTION_BUDGET_MS)
    else if (event.k === 'started') {
      enteredAt ??= performance.now()
      services?.bodyStarted()
    } else answers.hear(event, size)
  }
  id = runner.begin(
    {
      heard(message) {
        if (message.t === 'failed')
          return ending.resolve({ by: 'failed', message: message.message })
        if (message.t === 'quiet' && message.id === id) return quiet.resolve(!message.spoiled)
        const ours = message.t === 'event' && message.id === id
        const event = ours ? parseEvent(message.body) : undefined
        if (event === undefined) return runner.kill('protocol', 'a message that fits no live call')
        const excess = quota.charge(event, message.size)
        if (excess !== undefined) return runner.kill(excess.cause, excess.detail)
        if (open) hear(event, message.size)
      },
      died(death) {
        end()
        quiet.resolve(false)
        ending.resolve({ by: 'died', death })
      },
    },
    limits,
  )
  // A projection's own budget begins when it is entered; its context may have to be made first.
  if (request.op === 'project') limit(request.kind, limits.prepareTimeoutMs)
  const turn = limits.standIns?.()
  if (turn !== undefined) services?.lendSecrets(turn.now)
  runner.send({ t: 'call', id, request, ...(turn === undefined ? {} : { env: turn.env }) })
  return {
    ending: ending.promise,
    quiet: quiet.promise,
    started: () => enteredAt !== undefined,
    enteredAt: () => enteredAt,
    refusals: () => answers.refusals,
    abort(reason) {
      // A runner that was told to stop is not kept, however the body takes it.
      quiet.resolve(false)
      runner.send({ t: 'abort', id, reason })
    },
    abandon: () => ending.resolve({ by: 'unconfirmed' }),
    end,
  }
}

interface Quota {
  /** Why the runner has said more than a healthy one says during one request, if it has. */
  charge(event: RealmEvent, size: number): Excess | undefined
}

interface Excess {
  readonly cause: 'protocol' | 'output'
  readonly detail: string
}

/** Events besides logs and what counts as a message: started, two phases, dropped, settle. */
const FURTHER_EVENTS = 16
/** What a log entry costs a realm besides its text (workers/isolate/call-link.ts). */
const LOG_ENTRY_BYTES = 16

// A realm keeps these limits by itself; the host believes none of it.
function createQuota({ messages, logBytes, outputBytes }: RealmLimits): Quota {
  // As many requests as other messages, and one request to be refused by the host itself.
  let events = 2 * messages + 1 + Math.floor(logBytes / LOG_ENTRY_BYTES) + FURTHER_EVENTS
  let contextUnits = outputBytes + messages * 256
  return {
    charge(event, size) {
      events -= 1
      if (events < 0) return { cause: 'protocol', detail: 'more messages than a call may send' }
      if (event.k === 'settle' && size > outputBytes + ENVELOPE_BYTES) {
        return { cause: 'output', detail: 'an answer longer than the profile allows' }
      }
      if (event.k === 'context') contextUnits -= size
      if (contextUnits >= 0) return undefined
      return { cause: 'output', detail: 'more context messages than the profile allows' }
    },
  }
}
