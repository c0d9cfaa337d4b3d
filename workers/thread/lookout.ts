import { now } from './clock.ts'

/** Tells a worker how long to look for its next call instead of sleeping until it comes. */
export interface Lookout {
  /** A call has arrived. */
  arrived(): void
  /** Calls `look` with the time until which it is worth it, by `performance.now()`; 0 for not at all. */
  while<T>(look: (until: number) => T): T
}

/** How long a look may take, in milliseconds: a few times what it takes to wake a core that sleeps. */
const LOOK_MS = 0.2
/** Calls that follow one another more slowly than this are not looked for. */
const NEAR_MS = 0.4

/**
 * Creates the lookout of worker `number`. It looks only where the call before came soon after its own,
 * and only one worker at a time, whose number is in `post`: what it burns is a core that nobody asks for.
 */
export function createLookout(post: Int32Array<SharedArrayBuffer>, number: number): Lookout {
  let since = 0
  let isNear = false
  return {
    arrived() {
      isNear = now() - since < NEAR_MS
    },
    while(look) {
      since = now()
      if (!isNear || Atomics.compareExchange(post, 0, 0, number) !== 0) return look(0)
      const found = look(since + LOOK_MS)
      Atomics.store(post, 0, 0)
      return found
    },
  }
}
