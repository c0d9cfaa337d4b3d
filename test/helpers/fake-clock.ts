import type { Clock } from '../../src/approval/clock.ts'

/** A clock that stands still until it is told otherwise. */
export interface FakeClock extends Clock {
  /** Moves on and fires what is due, in order, letting promises settle in between. */
  advance(ms: number): Promise<void>
  /** Moves on without firing anything, as a blocked event loop does. */
  block(ms: number): void
  /** Timers that wait. */
  readonly waiting: number
}

const TURNS = 20

/** Creates one that starts in 2026. */
export function makeFakeClock(): FakeClock {
  let now = 1_000
  let next = 0
  const timers = new Map<number, { readonly at: number; readonly fn: () => void }>()
  return {
    now: () => now,
    wall: () => 1_767_600_000_000 + now,
    after(ms, fn) {
      const id = (next += 1)
      timers.set(id, { at: now + ms, fn })
      return () => void timers.delete(id)
    },
    get waiting() {
      return timers.size
    },
    block(ms) {
      now += ms
    },
    async advance(ms) {
      const until = now + ms
      for (;;) {
        await settleTurns()
        const [due] = [...timers]
          .filter(([, { at }]) => at <= until)
          .sort(([a, x], [b, y]) => x.at - y.at || a - b)
        if (due === undefined) break
        timers.delete(due[0])
        now = Math.max(now, due[1].at)
        due[1].fn()
      }
      now = Math.max(now, until)
      await settleTurns()
    },
  }
}

/** Lets everything that only waits for promises happen. */
export async function settleTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((done) => setImmediate(done))
}
