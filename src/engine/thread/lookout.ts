import { availableParallelism } from 'node:os'
import type { LookoutTask } from '../../../workers/thread/protocol.ts'

/**
 * How host and workers of an engine look out for one another while calls follow each other at once.
 * Waking a thread whose core sleeps takes several times as long as such a call.
 */
export interface Lookout {
  /** A place for a new worker; undefined where looking would take the core of whoever is looked for. */
  enter(): Watch | undefined
}

/** The place of one worker. */
export interface Watch {
  /** How the worker looks for its next call. */
  readonly task: LookoutTask
  /** It is given a call. */
  called(): void
  /** It has answered, after `tookMs` of its own, or declined, or is dead. */
  answered(tookMs?: number): void
  /**
   * Until when the host may look for the answer of the call it makes now, by `performance.now()`; 0 for
   * not at all. Only where the last one was quick and no other call of the engine is under way.
   */
  waitUntil(): number
  /** The worker is dead, and looks no more. */
  end(): void
}

/** How long the host looks for one answer, in milliseconds. */
const LOOK_MS = 0.05
/** After a call that took its worker longer than this the host does not look for the next answer. */
const QUICK_MS = 0.05
/** After so much time the loop of the host turns before it looks again: timers and sockets wait for it. */
const TURN_MS = 1

/** Creates the lookout of an engine (workers/thread/lookout.ts says when a worker looks). */
export function createLookout(): Lookout {
  const isWorthIt = availableParallelism() > 1
  const post = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let workers = 0
  let live = 0
  /** When this turn of the loop has lasted long enough; absent before the first look in it. */
  let turnUntil: number | undefined
  const mayStay = (now: number): boolean => {
    if (turnUntil === undefined) {
      turnUntil = now + TURN_MS
      setImmediate(() => (turnUntil = undefined))
    }
    return now < turnUntil
  }
  return {
    enter() {
      if (!isWorthIt) return undefined
      const number = (workers += 1)
      let since = 0
      let isQuick = false
      return {
        task: { post: post.buffer, number },
        called() {
          live += 1
          since = performance.now()
        },
        answered(tookMs = Infinity) {
          live -= 1
          isQuick = tookMs < QUICK_MS
        },
        waitUntil: () => (isQuick && live === 1 && mayStay(since) ? since + LOOK_MS : 0),
        end: () => void Atomics.compareExchange(post, 0, number, 0),
      }
    },
  }
}
