import { createAnswerers } from './answerers.ts'
import type { Clock } from './clock.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { race, type RaceAsk, type RaceIo } from './race.ts'
import type { Answerer, Answerers, ApprovalQuestion, RaceEnd } from './types.ts'

/** Everybody who can answer, and the races that ask them. */
export interface Asks {
  readonly answerers: Pick<Answerers, 'add'>
  readonly inbox: Omit<Inbox, 'answerer'>
  /** True when somebody besides `extra` can be asked. */
  hasAnswerer(question: ApprovalQuestion): boolean
  /** Asks everybody who is there; `extra` is for this ask alone. */
  run(ask: Omit<RaceAsk, 'answerers' | 'bystanders'>, extra: readonly Answerer[]): Promise<RaceEnd>
}

/** Creates the table of a host's answerers. */
export function createAsks(clock: Clock, io: Omit<RaceIo, 'clock'>): Asks {
  const answerers = createAnswerers()
  const inbox = createInbox(clock)
  return {
    answerers,
    inbox,
    hasAnswerer: (question) => inbox.isWatched || answerers.availableFor(question).length > 0,
    run(ask, extra) {
      const others = [...answerers.availableFor(ask.question), ...extra]
      // An answer by id is always welcome, but nobody waits for it unless it was promised.
      const bystanders = inbox.isWatched ? [] : [inbox.answerer]
      const asked = inbox.isWatched ? [...others, inbox.answerer] : others
      return race({ ...ask, answerers: asked, bystanders }, { ...io, clock })
    },
  }
}
