import { randomUUID } from 'node:crypto'
import type { BodyJob } from '../../types/engine.ts'
import { createGate, type Gate } from '../shared/gate.ts'
import { leaveWith } from '../shared/leave-with.ts'
import type { Seat } from '../shared/conversation.ts'
import { partOf, type Domain } from './domain.ts'
import type { Leases } from './leases.ts'

/** Runners that keep what the modules of one source hold, for one agent each. */
export interface Sticky {
  /** The agent's own runner; its calls take turns. A call without an agent has one for itself alone. */
  lease(job: BodyJob, signal: AbortSignal): Promise<Seat>
  /** Ends what nobody uses right now. */
  dispose(): void
}

export interface StickySpec {
  readonly domain: Domain
  readonly leases: Leases
  forget(key: string): void
  diagnose(text: string): void
}

interface Holder {
  readonly part: Domain
  readonly turn: Gate
  /** Whether its calls have left something behind. */
  held: boolean
  lost: string
  timer?: NodeJS.Timeout
}

const IDLE_MS = 10 * 60_000
const EVICTED = 'it had not been used for a while, or its place was needed'
const ENDED = 'its sandbox was ended with the call before'

/** Creates the runners of one source. */
export function createSticky(spec: StickySpec): Sticky {
  const { domain, leases, forget } = spec
  const holders = new WeakMap<object, Holder>()
  const keys = new Set<string>()
  const create = (): Holder => {
    const part = partOf(domain, randomUUID())
    return { part, turn: createGate(1), held: false, lost: EVICTED }
  }
  const holderOf = (agent: object): Holder => {
    const found = holders.get(agent) ?? create()
    holders.set(agent, found)
    keys.add(found.part.key)
    return found
  }
  const tell = (holder: Holder, { exec, services }: BodyJob): void => {
    const text = `what the modules of this source held is lost: ${holder.lost}`
    services.log('warn', text)
    spec.diagnose(`tool '${exec.name}', agent '${exec.agent?.id ?? ''}': ${text}`)
  }
  const rest = (holder: Holder): void => {
    const evict = (): void => forget(holder.part.key)
    holder.timer = setTimeout(evict, IDLE_MS).unref()
  }
  return {
    async lease(job, signal) {
      const { agent } = job.exec
      const holder = agent === undefined ? create() : holderOf(agent)
      const leave = await holder.turn.enter()
      clearTimeout(holder.timer)
      try {
        const { seat, opened } = await leases.lease(holder.part, signal)
        if (!opened && holder.held) tell(holder, job)
        holder.held = true
        // Until it is given back: whatever else becomes of it ends it.
        holder.lost = ENDED
        return {
          ...leaveWith(seat, leave),
          giveBack() {
            holder.lost = EVICTED
            if (agent === undefined) void seat.discard()
            else seat.giveBack()
            rest(holder)
            leave()
          },
        }
      } catch (error) {
        leave()
        throw error
      }
    },
    dispose() {
      for (const key of keys) forget(key)
    },
  }
}
