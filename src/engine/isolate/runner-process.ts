import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import type { HostMessage, RunnerOrder } from '../../../workers/isolate/protocol.ts'
import { encodeFrame } from '../../../workers/shared/frames.ts'
import type { Cgroup } from '../../sandbox/cgroup.ts'
import { ADDON_INSIDE } from '../../sandbox/node-files.ts'
import { findWallFault } from '../../sandbox/runner-walls.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { createLastWords } from './last-words.ts'
import { createMessageParser, type HeardMessage } from './parse-message.ts'
import { createRunnerChannel } from './runner-channel.ts'
import { createDesk, type DeskParts } from './desk.ts'
import { startRunnerChild, type RunnerChild } from './runner-child.ts'
import { createSharedDesk } from './shared-desk.ts'
import type { RunnerLaunch } from './runner-launch.ts'
import { createUsageWatch } from './usage-watch.ts'

/** A place in a runner for one request at a time. */
export interface RunnerProcess {
  readonly pid: number | undefined
  readonly ready: Promise<void>
  /** Resolves once nothing runs in it any more, confirmed, and what it had said is heard. */
  readonly dead: Promise<EngineDeath>
  readonly isDead: boolean
  /** Resident bytes of the process now; 0 where nobody tells. */
  residentBytes(): number
  /** CPU time so far in milliseconds; undefined where nobody tells. */
  cpuMs?(): number | undefined
  /** `sent` is called once the message has left this process, or never will. */
  send(message: HostMessage, sent?: () => void): void
  /**
   * Lends the runner to one request, which hears what it says and is held to `limits`. Returns the id
   * that the messages of the request carry.
   */
  begin(listener: RunnerListener, limits: RunnerLimits): string
  /** The request is over: from now on the runner may only prepare for the next one. */
  finish(): void
  kill(cause?: EngineDeath['cause'], detail?: string): void
}

/** One runner child. Its messages are parsed; whatever breaks the protocol kills it. */
export interface StartedRunner extends Pick<
  RunnerProcess,
  'pid' | 'ready' | 'dead' | 'isDead' | 'residentBytes' | 'kill'
> {
  /** As many as the launch has isolates. */
  readonly slots: readonly RunnerProcess[]
  /** The last line of its stderr, for the operator alone. */
  lastWords(): string
}

export interface RunnerListener {
  heard(message: HeardMessage): void
  died(death: EngineDeath): void
}

export interface RunnerLimits {
  /** Longer frames kill the runner (`output`). */
  readonly frameBytes: number
  /** CPU time of the request; undefined for no limit. */
  readonly cpuMs: number | undefined
}

export interface RunnerSpec {
  readonly code: string
  /** What most contexts are made of, to have ready before one is asked for. Absent: nothing is. */
  readonly realm?: string
  readonly launch: RunnerLaunch
  /** Holds it, and is taken away once it is dead. */
  readonly group?: Cgroup | undefined
  /** What preparing a context may take, in milliseconds. */
  readonly prepareTimeoutMs: number
}

/** What is said of a runner that came up without its walls. */
export const NOT_CONFINED = 'it is not confined'
const ADDON = createRequire(import.meta.url).resolve('isolated-vm')

/** Starts a runner with an empty environment, rlimits, and nothing but its three pipes. */
export function createRunnerProcess(spec: RunnerSpec): StartedRunner {
  const session = randomUUID()
  const born = performance.now()
  const { launch, group, prepareTimeoutMs } = spec
  const realm = launch.frozenRealm ?? spec.realm
  const addon = launch.walls === undefined ? ADDON : ADDON_INSIDE
  const child = startRunnerChild({ ...spec, args: [addon, session] })
  let cause: Cause | undefined
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined) // Whoever waits for it is told; a spare nobody waits for.

  const kill: DeskParts['kill'] = (why = 'killed', detail = '', culprit) => {
    cause ??= { cause: why, detail, culprit }
    channel.stop()
    child.kill()
  }
  const usage = createUsageWatch(child.node, launch, (what) =>
    what === 'memory' ? desk.overrun() : kill(what, 'seen by the host'),
  )
  const parse = createMessageParser(session)
  const receive = (text: string): void => {
    const message = parse(text)
    if (message === undefined) return kill('protocol', 'a frame of the wrong shape')
    if (message.t !== 'ready') return desk.heard(message)
    const fault = launch.walls === undefined ? undefined : findFault(child)
    if (fault !== undefined) return kill('spawn', `${NOT_CONFINED}: ${fault}`)
    if (realm !== undefined) write(warmMessage(realm, launch))
    ready.resolve()
  }
  const write = (order: RunnerOrder, sent?: () => void): void => {
    if (child.isDead) sent?.()
    else child.stdin.write(encodeFrame(JSON.stringify(order)), () => sent?.())
  }
  const channel = createRunnerChannel(child.stdout, { text: receive, broken: kill })
  const words = createLastWords(child.stderr, () => child.kill())
  const dead = child.ended.then((seen) => {
    const told = cause ?? words.classify() ?? classifyGroup(group) ?? usage.classify(seen.signal)
    const { culprit, ...named }: Cause = told ?? { cause: 'exit', detail: '' }
    const death = { ...named, lifetimeMs: performance.now() - born, ...seen }
    void group?.remove()
    channel.stop()
    usage.stop()
    ready.reject(new Error(`the runner ended before it was ready: ${death.cause}`))
    desk.died(death, culprit)
    return death
  })
  const parts: DeskParts = {
    pid: child.pid,
    ready: ready.promise,
    dead,
    isDead: () => child.isDead,
    residentBytes: usage.residentBytes,
    cpuMs: usage.cpuMs,
    prepareTimeoutMs,
    usage,
    limitFrames: channel.limitFrames,
    post: (order, sent) => write(withoutRealm(order, realm), sent),
    kill,
  }
  const { isolates } = launch
  const desk = isolates === 1 ? createDesk(parts) : createSharedDesk(parts, isolates)
  return {
    pid: child.pid,
    ready: ready.promise,
    dead,
    get isDead() {
      return child.isDead
    },
    residentBytes: usage.residentBytes,
    kill: (why, detail) => kill(why, detail),
    slots: desk.slots,
    lastWords: words.lastLine,
  }
}

function warmMessage(realm: string, launch: RunnerLaunch): RunnerOrder {
  const { isolates, memoryMb, frozenRealm } = launch
  if (isolates > 1) return { t: 'warm', realm }
  return { t: 'warm', realm, memoryMb, ...(frozenRealm === undefined ? {} : { frozen: true }) }
}

// The runner has it already, and it is a megabyte.
function withoutRealm(order: RunnerOrder, known: string | undefined): RunnerOrder {
  if (order.t !== 'open' || order.realm !== known) return order
  const { realm: _known, ...rest } = order
  return rest
}

type Cause = Pick<EngineDeath, 'cause' | 'detail'> & { readonly culprit?: number | undefined }

// One that is gone by now has its fate told by its end.
function findFault(child: RunnerChild): string | undefined {
  const node = child.node()
  return child.isDead || node === undefined ? undefined : findWallFault(node)
}

function classifyGroup(
  group: Cgroup | undefined,
): Pick<EngineDeath, 'cause' | 'detail'> | undefined {
  return (group?.oomKills() ?? 0) > 0
    ? { cause: 'memory', detail: 'the kernel ended it' }
    : undefined
}
