import type { Seat } from '../shared/conversation.ts'
import { converse } from './conversation.ts'
import type { StageWatch } from './stage-watch.ts'
import type { ThreadWorker } from './thread-worker.ts'

/** A worker held for one request. */
export interface ThreadSeat extends Seat {
  readonly worker: ThreadWorker
}

/** Wraps a worker that the pool has lent; `back` takes it again. */
export function createThreadSeat(
  worker: ThreadWorker,
  stages: StageWatch,
  back: Pick<Seat, 'giveBack' | 'discard'>,
): ThreadSeat {
  return {
    worker,
    isDead: () => worker.isDead,
    converse: (request, services) => converse(worker, request, { services, stages }),
    kill: (why) => worker.kill('killed', why),
    giveBack: back.giveBack,
    discard: back.discard,
  }
}
