import type { Readable } from 'node:stream'
import type { Cgroup } from '../../sandbox/cgroup.ts'
import type { ConfinedProcess, ProcessEnd } from '../../sandbox/confined-process.ts'
import { isConfirmed } from '../shared/confirm.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { createUsageWatch, type UsageLimits } from './usage-watch.ts'
import type { WayOut } from './way-out.ts'

/** A running program under watch. */
export interface Sandbox {
  readonly process: ConfinedProcess
  /** Resolves once everything in it is dead and what it had said is read; the first cause wins. */
  readonly dead: Promise<EngineDeath>
  readonly isDead: boolean
  /** Undefined for a program that is given no network at all. */
  readonly wayOut: WayOut | undefined
  /** CPU time from now on, in milliseconds; undefined for no limit. */
  limitCpu(ms: number | undefined): void
  kill(cause?: EngineDeath['cause'], detail?: string): void
}

export interface SandboxParts {
  readonly group: Cgroup | undefined
  readonly limits: UsageLimits
  readonly wayOut: WayOut | undefined
  /** Everything in it is dead. */
  ended(): Promise<void>
  /** It was killed a second ago, and nobody has seen it die. */
  lost(): void
}

/** How long what an ended program said is read, where somebody else holds its pipes open. */
const DRAIN_MS = 250
const MAX_TEXT = 4_096

/** Puts a started process under watch. */
export function createSandbox(process: ConfinedProcess, parts: SandboxParts): Sandbox {
  const born = performance.now()
  const { group, wayOut } = parts
  let cause: Pick<EngineDeath, 'cause' | 'detail'> | undefined
  let isDead = false
  const kill: Sandbox['kill'] = (why = 'killed', detail = '') => {
    const isFirst = cause === undefined
    cause ??= { cause: why, detail }
    process.kill()
    if (isFirst) void isConfirmed(dead).then((seen) => seen || parts.lost())
  }
  const usage = createUsageWatch(parts.limits, group, (what) => {
    if (what !== 'tasks') return kill(what, 'seen by the host')
    kill('uncaught', 'it started more processes than its profile allows')
  })
  void process.started.then((started) => {
    if (started && process.root !== undefined && !process.hasEnded) usage.start(process.root)
  })
  const toDeath = (end: ProcessEnd): EngineDeath => {
    const { exitCode, signal } = end
    const named = cause ?? classify(end, group)
    return {
      ...named,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
      lifetimeMs: performance.now() - born,
    }
  }
  const dead = process.ended.then(async (end) => {
    usage.stop()
    wayOut?.close()
    const started = await process.started
    const death = started ? toDeath(end) : { ...toDeath(end), ...(await whyNotStarted(end)) }
    await drain([process.stdout, process.stderr, ...(process.channel ? [process.channel] : [])])
    isDead = true
    await parts.ended()
    return death
  })
  const whyNotStarted = async ({ failure }: ProcessEnd): Promise<Partial<EngineDeath>> => {
    if (cause !== undefined) return cause
    return { cause: 'spawn', detail: failure ?? (await readRest(process.stderr)) }
  }
  return {
    process,
    dead,
    get isDead() {
      return isDead
    },
    wayOut,
    limitCpu: usage.limitCpu,
    kill,
  }
}

// A program that ended well has done its work, whatever became of what it had started.
function classify(
  { exitCode }: ProcessEnd,
  group: Cgroup | undefined,
): Pick<EngineDeath, 'cause' | 'detail'> {
  const outOfMemory = exitCode !== 0 && (group?.oomKills() ?? 0) > 0
  return outOfMemory
    ? { cause: 'memory', detail: 'the kernel ended it' }
    : { cause: 'exit', detail: '' }
}

// What it says that never became the program is the confiner's own.
async function readRest(stream: Readable): Promise<string> {
  let text = ''
  stream.on('data', (chunk: Buffer) => (text = (text + chunk.toString('utf8')).slice(0, MAX_TEXT)))
  await withinDrain(untilClosed(stream))
  return text.trim()
}

async function drain(streams: readonly Readable[]): Promise<void> {
  await withinDrain(Promise.all(streams.map(untilClosed)))
  for (const stream of streams) stream.destroy()
}

async function withinDrain(work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, DRAIN_MS)
  await Promise.race([work, late])
  clearTimeout(timer)
}

function untilClosed(stream: Readable): Promise<void> {
  if (stream.closed) return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('close', resolve)
    // Nobody listens: nobody misses anything.
    if (stream.listenerCount('data') === 0) stream.resume()
  })
}
