import type { Clock } from '../../../approval/clock.ts'
import type { AgentRef } from '../../../types/call.ts'

export type NoticeKind =
  'onboarding' | 'model-approved' | 'learned-allow' | 'reject-guidance' | 'mode-changed'

/** Which kinds are wanted; read when a notice comes up. */
export interface NoticeSwitches {
  readonly notices: boolean
  readonly onboarding: boolean
  readonly rejectGuidance: boolean
}

export interface NoticeQueueOptions {
  readonly clock: Clock
  readonly switches: () => NoticeSwitches
  /** Hands a text to an agent's next model request; may throw. */
  inject(agent: AgentRef, text: string): void
  /** Calls back after each step of an agent. */
  onStepEnd(agent: AgentRef, fn: () => void): void
  diagnose(text: string): void
}

/** Notices that wait for the end of the step they came up in. */
export interface NoticeQueue {
  add(root: string, agent: AgentRef | undefined, token: symbol, kind: NoticeKind): void
  /** The execution has its result: its notices may be delivered. */
  seen(root: string, token: symbol): void
  drop(root: string): void
}

const MAX_QUEUED = 256
const GUIDANCE_PER_MINUTE = 5
const MINUTE_MS = 60_000
const TEXTS: Readonly<Record<NoticeKind, string>> = {
  onboarding:
    'Tool calls of this session are checked before they run. Some run at once, some wait for an answer, some are refused; a refusal says who refused it and whether another wording could help.',
  'model-approved': 'A model approved a tool call of this step in place of a person.',
  'learned-allow':
    'A tool call of this step was approved because a person had approved calls like it before.',
  'reject-guidance':
    'A tool call of this step was refused by a rule or a person. Do not look for another way to the same effect; say what you wanted to do and ask the user.',
  'mode-changed': 'The operator changed how tool calls of this session are reviewed.',
}

interface Entry {
  readonly agent: AgentRef
  readonly kinds: NoticeKind[]
  isSeen: boolean
}

/** Creates an empty queue. Nothing it does or fails to do changes a verdict. */
export function createNoticeQueue(options: NoticeQueueOptions): NoticeQueue {
  const queues = new Map<string, Map<symbol, Entry>>()
  const guided = new Map<string, number[]>()
  const watched = new WeakSet<AgentRef>()
  const isWanted = (root: string, kind: NoticeKind): boolean => {
    const { notices, onboarding, rejectGuidance } = options.switches()
    if (!notices || (kind === 'onboarding' && !onboarding)) return false
    if (kind !== 'reject-guidance') return true
    return rejectGuidance && hasRoom(root)
  }
  const hasRoom = (root: string): boolean => {
    const now = options.clock.now()
    const recent = (guided.get(root) ?? []).filter((at) => now - at < MINUTE_MS)
    const free = recent.length < GUIDANCE_PER_MINUTE
    guided.set(root, free ? [...recent, now] : recent)
    return free
  }
  // What was seen is delivered once the step is over, the rest is only logged.
  const deliver = (root: string, agent: AgentRef): void => {
    const queue = queues.get(root)
    for (const [token, entry] of queue ?? []) {
      if (entry.agent !== agent) continue
      queue?.delete(token)
      for (const kind of entry.kinds) deliverOne(entry, kind, options)
    }
  }
  return {
    add(root, agent, token, kind) {
      if (agent === undefined) return
      const queue = queues.get(root) ?? new Map<symbol, Entry>()
      queues.set(root, queue)
      const entry = queue.get(token) ?? { agent, kinds: [], isSeen: false }
      if (entry.kinds.includes(kind) || countOf(queue) >= MAX_QUEUED || !isWanted(root, kind))
        return
      entry.kinds.push(kind)
      queue.set(token, entry)
      if (watched.has(agent)) return
      watched.add(agent)
      options.onStepEnd(agent, () => deliver(root, agent))
    },
    seen(root, token) {
      const entry = queues.get(root)?.get(token)
      if (entry !== undefined) entry.isSeen = true
    },
    drop(root) {
      queues.delete(root)
      guided.delete(root)
    },
  }
}

function deliverOne(
  { agent, isSeen }: Entry,
  kind: NoticeKind,
  { inject, diagnose }: NoticeQueueOptions,
): void {
  if (!isSeen) return diagnose(`approval notice without a result: ${kind}`)
  try {
    inject(agent, TEXTS[kind])
  } catch {
    diagnose(`approval notice was not delivered: ${kind}`)
  }
}

function countOf(queue: ReadonlyMap<symbol, Entry>): number {
  return [...queue.values()].reduce((sum, { kinds }) => sum + kinds.length, 0)
}
