import type { EngineDeath } from '../shared/conversation.ts'
import { startWorkTimer } from '../shared/work-timer.ts'
import { ownOf, type Desk, type DeskParts } from './desk.ts'
import type { HeardMessage } from './parse-message.ts'
import { createRunnerRest, type RunnerRest } from './runner-rest.ts'
import type { RunnerListener, RunnerProcess } from './runner-process.ts'

/** How long what runs in one slot may take to be ended by the runner itself. */
const DROP_MS = 150
/** How long the runner may take to say who uses it most. */
const WEIGH_MS = 100

interface Place {
  readonly index: number
  readonly rest: RunnerRest
  readonly dead: PromiseWithResolvers<EngineDeath>
  listener: RunnerListener | undefined
  death: EngineDeath | undefined
  /** Set once it is to end by itself. */
  drop: { readonly detail: string; readonly cancel: () => void } | undefined
  isLive: boolean
}

/**
 * Creates the desk of a runner whose isolates serve a request each. One that is to end is asked to end
 * alone; where it does not in time the process is killed, and the others fall with it (`collateral`).
 */
export function createSharedDesk(parts: DeskParts, isolates: number): Desk {
  const born = performance.now()
  const busy = new Set<Place>()
  let weighing: NodeJS.Timeout | undefined
  const places = Array.from({ length: isolates }, (_, index) =>
    createPlace(index, parts, {
      busy(place) {
        if (busy.size === 0) parts.usage.start()
        busy.add(place)
      },
      quiet(place) {
        if (busy.delete(place) && busy.size === 0) parts.usage.stop()
      },
    }),
  )
  const end = (place: Place, death: EngineDeath): void => {
    if (place.death !== undefined) return
    place.death = death
    place.drop?.cancel()
    place.rest.end()
    busy.delete(place)
    place.dead.resolve(death)
    place.listener?.died(death)
  }
  const endAlone = (place: Place, cause: EngineDeath['cause'], detail: string): void =>
    end(place, { cause, detail, lifetimeMs: performance.now() - born })
  const blame = (ms: readonly number[]): void => {
    clearTimeout(weighing)
    const live = places.filter(({ isLive }) => isLive)
    const [worst] = live.toSorted((a, b) => (ms[b.index] ?? 0) - (ms[a.index] ?? 0))
    parts.kill('memory', 'seen by the host', worst?.index)
  }
  return {
    slots: places.map((place) => toSlot(place, parts)),
    heard(message) {
      if (message.t === 'spent') return blame(message.ms)
      const place = places[message.slot ?? -1]
      if (place === undefined) return parts.kill('protocol', 'a message that fits no slot')
      if (place.death !== undefined) return // Said before it had heard of its end.
      if (message.t === 'memory')
        return endAlone(place, 'memory', 'the isolate reached its memory limit')
      if (message.t !== 'dropped') return hear(place, parts, message)
      if (place.drop === undefined) return parts.kill('protocol', 'a message out of turn')
      endAlone(place, 'killed', place.drop.detail)
    },
    died(death, culprit) {
      clearTimeout(weighing)
      const live = places.filter((place) => place.isLive && place.death === undefined)
      const alone = live.length <= 1
      for (const place of places) {
        const own = alone || culprit === place.index
        end(place, own ? death : toCollateral(death))
      }
    },
    overrun() {
      if (weighing !== undefined) return
      weighing = setTimeout(() => parts.kill('memory', 'seen by the host'), WEIGH_MS)
      parts.post({ t: 'weigh' })
    },
  }
}

function toCollateral({ lifetimeMs }: EngineDeath): EngineDeath {
  return { cause: 'collateral', detail: '', lifetimeMs }
}

function createPlace(
  index: number,
  { prepareTimeoutMs, kill }: DeskParts,
  sink: { busy(place: Place): void; quiet(place: Place): void },
): Place {
  const place: Place = {
    index,
    rest: createRunnerRest(prepareTimeoutMs, {
      busy: () => sink.busy(place),
      quiet: () => sink.quiet(place),
      failed: (detail) => kill('protocol', detail, index),
      late: () => kill('killed', 'preparing a context took too long', index),
    }),
    dead: Promise.withResolvers<EngineDeath>(),
    listener: undefined,
    death: undefined,
    drop: undefined,
    isLive: false,
  }
  return place
}

function hear(place: Place, { kill }: DeskParts, message: HeardMessage): void {
  if (message.t === 'rested') return place.rest.prepared()
  if (place.listener === undefined) {
    return kill('protocol', 'a message that fits no live call', place.index)
  }
  if (message.t === 'quiet' && !message.spoiled) place.rest.expect()
  place.listener.heard(message)
}

function toSlot(place: Place, parts: DeskParts): RunnerProcess {
  const { index: slot, rest } = place
  let requests = 0
  return {
    // Its `cpuMs` is that of all: where all together get no CPU, none has had its budget.
    ...ownOf(parts),
    dead: place.dead.promise,
    get isDead() {
      return place.death !== undefined || parts.isDead()
    },
    send(message, sent) {
      if (message.t === 'open') rest.expect()
      if (place.death === undefined) parts.post({ ...message, slot }, sent)
      else sent?.()
    },
    begin(given, limits) {
      place.listener = given
      const id = `${(requests += 1)}`
      if (place.death !== undefined) {
        given.died(place.death)
        return id
      }
      place.isLive = true
      parts.limitFrames(limits.frameBytes)
      rest.begin()
      return id
    },
    finish() {
      place.listener = undefined
      place.isLive = false
      rest.finish()
    },
    kill(cause = 'killed', detail = '') {
      if (place.death !== undefined || parts.isDead()) return
      // What has broken its word is not asked.
      if (cause !== 'killed') return parts.kill(cause, detail, slot)
      if (place.drop !== undefined) return
      // A runner that does not get the CPU has not heard of it yet.
      const cancel = startWorkTimer({ ms: DROP_MS, cpuMs: parts.cpuMs }, () =>
        parts.kill('killed', detail, slot),
      )
      place.drop = { detail, cancel }
      parts.post({ t: 'drop', slot })
    },
  }
}
