import { setTimeout as sleep } from 'node:timers/promises'
import { listFamily } from './family.ts'
import { CALM, ENGINE_WEIGHTS, STORMY, type EngineName, type Kind } from './kinds.ts'
import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'
import type { Rig } from './rig.ts'

/** How much of what is done to a host. */
export interface StormSpec {
  /** False calls nothing but good tools and kills nothing. */
  readonly hostile: boolean
  /** Callers at a time, each waiting for its call before it makes the next. */
  readonly callers: number
  /** True ends the storm. */
  isOver(): boolean
}

/** One call in so many is aborted by its caller. */
const ABORTED_OF = 60
const LONGEST_MS = 25
const KILL_EVERY_MS = 400
/** One kill in so many takes all children at once. */
const MASSACRE_OF = 10

/** Calls, aborts and kills until it is over; resolves once everything has settled. */
export async function storm(
  rig: Rig,
  { ledger, random }: { readonly ledger: Ledger; readonly random: Random },
  spec: StormSpec,
): Promise<void> {
  const mix = spec.hostile ? STORMY : CALM
  const weights = Object.fromEntries(
    rig.engines.map((engine) => [engine, ENGINE_WEIGHTS[engine]]),
  ) as Record<EngineName, number>
  const callOn = async (): Promise<void> => {
    while (!spec.isOver()) {
      const engine = random.weigh(weights)
      const aborts = spec.hostile && random.next() * ABORTED_OF < 1
      await rig.call({
        engine,
        kind: random.weigh(mix[engine] as Record<'good', number>),
        ms: random.next() * LONGEST_MS,
        ...(aborts ? { abortMs: random.next() * LONGEST_MS } : {}),
      })
      // Host code that never waits would keep everybody else from being called.
      if (engine === 'inline') await sleep(0)
    }
  }
  const killOn = async (): Promise<void> => {
    while (!spec.isOver()) {
      await sleep(random.next() * 2 * KILL_EVERY_MS)
      const pids = listFamily()
      if (pids.length === 0 || spec.isOver()) continue
      const isMassacre = random.next() * MASSACRE_OF < 1
      for (const pid of isMassacre ? pids : [random.pick(pids)]) kill(pid, ledger)
    }
  }
  await Promise.all([
    ...Array.from({ length: spec.callers }, callOn),
    ...(spec.hostile ? [killOn()] : []),
  ])
}

/** Calls every kind of tool once in every engine. */
export async function rollCall(rig: Rig): Promise<void> {
  const calls = rig.engines.flatMap((engine) =>
    (Object.keys(STORMY[engine]) as Kind[]).map((kind) => ({ engine, kind, ms: LONGEST_MS })),
  )
  await Promise.all(calls.map((call) => rig.call(call)))
}

function kill(pid: number, ledger: Ledger): void {
  try {
    process.kill(pid, 'SIGKILL')
    ledger.killed()
  } catch {
    // It has just ended by itself.
  }
}
