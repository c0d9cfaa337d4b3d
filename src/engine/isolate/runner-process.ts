import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import type { HostMessage } from '../../../workers/isolate/protocol.ts'
import { encodeFrame } from '../../../workers/shared/frames.ts'
import type { Cgroup } from '../../sandbox/cgroup.ts'
import { ADDON_INSIDE } from '../../sandbox/node-files.ts'
import { findWallFault } from '../../sandbox/runner-walls.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { createLastWords } from './last-words.ts'
import { parseRunnerMessage, type HeardMessage } from './parse-message.ts'
import { createRunnerChannel } from './runner-channel.ts'
import { startRunnerChild } from './runner-child.ts'
import type { RunnerLaunch } from './runner-launch.ts'
import { createRunnerRest } from './runner-rest.ts'
import { createUsageWatch } from './usage-watch.ts'

/** One runner child. Its messages are parsed; whatever breaks the protocol kills it. */
export interface RunnerProcess {
  readonly pid: number | undefined
  readonly ready: Promise<void>
  /** Resolves once the process is confirmed dead and what it had said is heard. */
  readonly dead: Promise<EngineDeath>
  readonly isDead: boolean
  /** Resident bytes now; 0 where nobody tells. */
  residentBytes(): number
  /** CPU time so far in milliseconds; undefined where nobody tells. */
  cpuMs?(): number | undefined
  /** `sent` is called once the message has left this process, or never will. */
  send(message: HostMessage, sent?: () => void): void
  /** Lends the runner to one request, which hears what it says and is held to `limits`. */
  begin(listener: RunnerListener, limits: RunnerLimits): void
  /** The request is over: from now on the runner may only prepare for the next one. */
  finish(): void
  kill(cause?: EngineDeath['cause'], detail?: string): void
  /** The last line of its stderr, for the operator alone. */
  lastWords?(): string
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
export function createRunnerProcess(spec: RunnerSpec): RunnerProcess {
  const session = randomUUID()
  const born = performance.now()
  const { launch, group } = spec
  const addon = launch.walls === undefined ? ADDON : ADDON_INSIDE
  const child = startRunnerChild({ ...spec, args: [addon, session] })
  let cause: Pick<EngineDeath, 'cause' | 'detail'> | undefined
  let listener: RunnerListener | undefined
  let death: EngineDeath | undefined
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined) // Whoever waits for it is told; a spare nobody waits for.

  const kill: RunnerProcess['kill'] = (why = 'killed', detail = '') => {
    cause ??= { cause: why, detail }
    channel.stop()
    child.kill()
  }
  const usage = createUsageWatch(child.node, launch, (what) => kill(what, 'seen by the host'))
  const rest = createRunnerRest(spec.prepareTimeoutMs, {
    busy: () => usage.start(),
    quiet: () => usage.stop(),
    failed: (detail) => kill('protocol', detail),
    late: () => kill('killed', 'preparing a context took too long'),
  })
  const admit = (): void => {
    const node = child.node()
    const fault =
      launch.walls === undefined || child.isDead || node === undefined
        ? undefined
        : findWallFault(node)
    if (fault === undefined) return ready.resolve()
    kill('spawn', `${NOT_CONFINED}: ${fault}`)
  }
  const receive = (text: string): void => {
    const message = parseRunnerMessage(text, session)
    if (message === undefined) return kill('protocol', 'a frame of the wrong shape')
    if (message.t === 'ready') return admit()
    if (message.t === 'memory') return kill('memory', 'the isolate reached its memory limit')
    if (message.t === 'rested') return rest.prepared()
    if (listener === undefined) return kill('protocol', 'a message that fits no live call')
    if (message.t === 'quiet' && !message.spoiled) rest.expect()
    listener.heard(message)
  }
  const channel = createRunnerChannel(child.stdout, { text: receive, broken: kill })
  const words = createLastWords(child.stderr, () => child.kill())

  const toDeath = (seen: Partial<EngineDeath>): EngineDeath => ({
    cause: 'exit',
    detail: '',
    lifetimeMs: performance.now() - born,
    ...(cause ?? words.classify() ?? classifyGroup(group) ?? usage.classify(seen.signal)),
    ...seen,
  })
  const dead = child.ended.then((seen) => {
    death = toDeath(seen)
    void group?.remove()
    channel.stop()
    usage.stop()
    rest.end()
    ready.reject(new Error(`the runner ended before it was ready: ${death.cause}`))
    listener?.died(death)
    return death
  })
  return {
    pid: child.pid,
    ready: ready.promise,
    dead,
    get isDead() {
      return child.isDead
    },
    residentBytes: () => usage.residentBytes(),
    cpuMs: () => usage.cpuMs(),
    send(message, sent) {
      if (message.t === 'open') rest.expect()
      if (child.isDead) sent?.()
      else child.stdin.write(encodeFrame(JSON.stringify(message)), () => sent?.())
    },
    begin(given, limits) {
      listener = given
      if (death !== undefined) return given.died(death)
      channel.limitFrames(limits.frameBytes)
      usage.limitCpu(limits.cpuMs)
      rest.begin()
    },
    finish() {
      listener = undefined
      usage.limitCpu(undefined)
      rest.finish()
    },
    kill,
    lastWords: words.lastLine,
  }
}

function classifyGroup(
  group: Cgroup | undefined,
): Pick<EngineDeath, 'cause' | 'detail'> | undefined {
  return (group?.oomKills() ?? 0) > 0
    ? { cause: 'memory', detail: 'the kernel ended it' }
    : undefined
}
