import type { CaissonError } from '../../errors/caisson-error.ts'
import type { CallServices } from '../../types/engine.ts'
import type { RealmRequest } from '../../../workers/isolate/protocol.ts'
import { readStarted } from '../../../workers/thread/board.ts'
import { createAnswers, type Answers } from '../shared/answers.ts'
import { PROJECTION_BUDGET_MS, type Conversation, type Ending } from '../shared/conversation.ts'
import { parseEvent } from '../shared/parse-event.ts'
import { startPatientTimer } from '../shared/patient-timer.ts'
import type { StageWatch } from './stage-watch.ts'
import type { ThreadWorker } from './thread-worker.ts'

/** How long a worker that may be at rest gets to begin with a call, in milliseconds. */
const OFFER_MS = 50
const NONE: ReadonlyMap<string, CaissonError> = new Map()

/** Sends one request and listens until it settles or the worker is dead. */
export function converse(
  worker: ThreadWorker,
  request: RealmRequest,
  on: { readonly services: CallServices | undefined; readonly stages: StageWatch },
): Conversation {
  const { board } = worker
  const before = readStarted(board)
  const atRest = worker.fitness === 'fit'
  const ending = Promise.withResolvers<Ending>()
  let answers: Answers | undefined
  let open = true
  let started = false
  let stopOffer = (): void => undefined
  const end = (): void => {
    if (!open) return
    open = false
    stopOffer()
    stopBudget()
    answers?.close()
    started = readStarted(board) !== before
    if (started) on.services?.bodyStarted()
  }
  const overran = (stage: string): void => {
    ending.resolve({ by: 'overran', stage })
    worker.kill('killed', `${stage} passed its budget`)
  }
  const listen = (): Answers =>
    createAnswers(on.services, (n, answer) => worker.tell({ t: 'answer', id: call.id, n, answer }))
  const call = worker.call(request, {
    event(body) {
      const event = parseEvent(body)
      if (open && event !== undefined) (answers ??= listen()).hear(event, 0)
      return event !== undefined
    },
    settled(outcome) {
      end()
      ending.resolve({ by: 'settled', outcome })
    },
    declined() {
      end()
      ending.resolve({ by: 'declined' })
    },
    died(death) {
      end()
      ending.resolve({ by: 'died', death })
    },
  })
  const stopBudget =
    request.op === 'project'
      ? startPatientTimer(PROJECTION_BUDGET_MS, () => overran(request.kind))
      : on.stages.watch(board, overran)
  // It may be stuck in what its last call has left behind, and this call is not to blame for that.
  if (!atRest) stopOffer = startPatientTimer(OFFER_MS, () => void call.withdraw())
  call.wait()
  return {
    ending: ending.promise,
    // Whether it left its worker at rest shows later; the pool looks before it lends the worker again.
    quiet: true,
    started: () => (open ? readStarted(board) !== before : started),
    refusals: () => answers?.refusals ?? NONE,
    abort: (reason) => worker.tell({ t: 'abort', id: call.id, reason }),
    abandon: () => ending.resolve({ by: 'unconfirmed' }),
    end,
  }
}
