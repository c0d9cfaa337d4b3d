import type { HostMessage, RunnerOrder } from '../../../workers/isolate/protocol.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import type { HeardMessage } from './parse-message.ts'
import { createRunnerRest } from './runner-rest.ts'
import type { RunnerListener, RunnerProcess } from './runner-process.ts'
import type { UsageWatch } from './usage-watch.ts'

/** Where what a runner says goes to, and where requests to it come from. */
export interface Desk {
  readonly slots: readonly RunnerProcess[]
  /** Everything but `ready`. */
  heard(message: HeardMessage): void
  /** The process is dead; `culprit` is the slot it died of, where that is known. */
  died(death: EngineDeath, culprit: number | undefined): void
  /** The process uses too much memory: kills it. */
  overrun(): void
}

/** What a desk has of its runner. */
export interface DeskParts extends Pick<
  RunnerProcess,
  'pid' | 'ready' | 'dead' | 'residentBytes' | 'cpuMs'
> {
  readonly prepareTimeoutMs: number
  readonly usage: UsageWatch
  isDead(): boolean
  post(order: RunnerOrder, sent?: () => void): void
  /** Longer frames kill it. */
  limitFrames(bytes: number): void
  kill(cause?: EngineDeath['cause'], detail?: string, culprit?: number): void
}

/** Creates the desk of a runner that serves one request at a time. */
export function createDesk(parts: DeskParts): Desk {
  const { usage, kill } = parts
  let listener: RunnerListener | undefined
  let death: EngineDeath | undefined
  let requests = 0
  const rest = createRunnerRest(parts.prepareTimeoutMs, {
    busy: () => usage.start(),
    quiet: () => usage.stop(),
    failed: (detail) => kill('protocol', detail),
    late: () => kill('killed', 'preparing a context took too long'),
  })
  const slot: RunnerProcess = {
    ...ownOf(parts),
    get isDead() {
      return parts.isDead()
    },
    send(message: HostMessage, sent) {
      if (message.t === 'open') rest.expect()
      parts.post(message, sent)
    },
    begin(given, limits) {
      listener = given
      const id = `${(requests += 1)}`
      if (death !== undefined) {
        given.died(death)
        return id
      }
      parts.limitFrames(limits.frameBytes)
      usage.limitCpu(limits.cpuMs)
      rest.begin()
      return id
    },
    finish() {
      listener = undefined
      usage.limitCpu(undefined)
      rest.finish()
    },
    kill: (cause, detail) => kill(cause, detail),
  }
  return {
    slots: [slot],
    heard(message) {
      if (message.t === 'memory') return kill('memory', 'the isolate reached its memory limit')
      if (message.t === 'rested') return rest.prepared()
      if (listener === undefined) return kill('protocol', 'a message that fits no live call')
      if (message.t === 'quiet' && !message.spoiled) rest.expect()
      listener.heard(message)
    },
    died(seen) {
      death = seen
      rest.end()
      listener?.died(seen)
    },
    overrun: () => kill('memory', 'seen by the host'),
  }
}

/** What every slot of a runner has alike. */
export function ownOf({
  pid,
  ready,
  dead,
  residentBytes,
  cpuMs,
}: DeskParts): Pick<RunnerProcess, 'pid' | 'ready' | 'dead' | 'residentBytes' | 'cpuMs'> {
  return { pid, ready, dead, residentBytes, ...(cpuMs === undefined ? {} : { cpuMs }) }
}
