import { openVmWorker } from '../contenders/bare-workers.ts'
import type { Contender } from '../measure/contender.ts'
import { median } from '../measure/stats.ts'
import { cpuMsOf, listFamily } from './family.ts'
import type { Rig } from './rig.ts'

/** Measures how many good calls a host answers for its CPU time, beside a bare primitive. */
export interface Pace extends AsyncDisposable {
  /** Blocks of the primitive and blocks of good calls in turn. */
  measure(pairs: number): Promise<PaceSample>
}

export interface PaceSample {
  /** Good calls per second of wall time. */
  readonly callsPerSecond: number
  /** Calls per CPU second, of this process and all below it, divided by that of the primitive. */
  readonly pace: number
}

interface Block {
  readonly perSecond: number
  readonly perCpuSecond: number
}

/** A block is so many calls, and fewer only where they take very long: the same work in every one. */
const BASE_CALLS = 120
const OWN_CALLS = 60
const MOST_BLOCK_MS = 1_000
/** About what one pair of blocks takes, in milliseconds. */
export const PAIR_MS = 160
const CALLERS = 4
/** Sources that take runners from one another would be measured starting them. */
const ENGINES = ['inline', 'thread', 'isolate'] as const
/** A runner that has just started has yet to compile what it runs. */
const WARMING = 36

/**
 * Opens the primitive: two threads that make a fresh node:vm context per call. Neither who else uses the
 * machine nor how fast it runs at the moment changes the pace.
 */
export async function createPace(rig: Rig): Promise<Pace> {
  const opened = [await openVmWorker('echo'), await openVmWorker('echo')]
  const bare = opened.filter((worker): worker is Contender => worker !== undefined)
  const callBare = (turn: number): Promise<unknown> =>
    bare[turn % bare.length]?.call(turn) ?? Promise.resolve()
  const callOurs = (turn: number): Promise<void> =>
    rig.call({ engine: ENGINES[turn % ENGINES.length] ?? 'inline', kind: 'good', ms: 0 })
  return {
    async measure(pairs) {
      await runBlock(callOurs, WARMING)
      const blocks: { readonly base: Block; readonly own: Block }[] = []
      for (let pair = 0; pair < pairs; pair += 1) {
        const base = await runBlock(callBare, BASE_CALLS)
        blocks.push({ base, own: await runBlock(callOurs, OWN_CALLS) })
      }
      return {
        callsPerSecond: median(blocks.map(({ own }) => own.perSecond)),
        pace: median(blocks.map(({ own, base }) => own.perCpuSecond / base.perCpuSecond)),
      }
    },
    async [Symbol.asyncDispose]() {
      for (const worker of bare) await worker.close()
    },
  }
}

async function runBlock(call: (turn: number) => Promise<unknown>, calls: number): Promise<Block> {
  const cpuBefore = readCpu()
  const begun = performance.now()
  let made = 0
  const callOn = async (): Promise<void> => {
    while (made < calls && performance.now() - begun < MOST_BLOCK_MS) await call((made += 1))
  }
  await Promise.all(Array.from({ length: CALLERS }, callOn))
  const seconds = (performance.now() - begun) / 1_000
  return { perSecond: made / seconds, perCpuSecond: made / (cpuSince(cpuBefore) / 1_000) }
}

function readCpu(): Map<number, number> {
  return new Map([process.pid, ...listFamily()].map((pid) => [pid, cpuMsOf(pid)]))
}

// A child that has ended takes its time with it; that of a block is little.
function cpuSince(before: ReadonlyMap<number, number>): number {
  let ms = 0
  for (const [pid, now] of readCpu()) ms += Math.max(0, now - (before.get(pid) ?? 0))
  return ms
}
