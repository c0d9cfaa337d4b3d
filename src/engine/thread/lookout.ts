import { availableParallelism } from 'node:os'
import type { LookoutTask } from '../../../workers/thread/protocol.ts'

/** How the workers of an engine settle which one of them looks out for its next call. */
export interface Lookout {
  /** A place for a new worker; undefined where looking would take the core of the host. */
  enter(): Watch | undefined
}

/** The place of one worker. */
export interface Watch {
  /** What its worker needs of it. */
  readonly task: LookoutTask
  /** The worker is dead, and looks no more. */
  end(): void
}

/** Creates the lookout of an engine (workers/thread/lookout.ts says when a worker looks). */
export function createLookout(): Lookout {
  const isWorthIt = availableParallelism() > 1
  const post = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let workers = 0
  return {
    enter() {
      if (!isWorthIt) return undefined
      const number = (workers += 1)
      return {
        task: { post: post.buffer, number },
        end: () => void Atomics.compareExchange(post, 0, number, 0),
      }
    },
  }
}
