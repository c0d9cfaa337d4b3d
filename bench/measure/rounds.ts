import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from './contender.ts'
import { median, percentile } from './stats.ts'

/** How contenders are called. */
export interface RoundSpec {
  readonly rounds: number
  /** Calls of one contender in one round; fewer when they take longer than `blockMs`. */
  readonly calls: number
  readonly blockMs: number
}

/** A contender and the pause before each of its calls; 0 calls back to back. */
export interface Entry {
  readonly contender: Contender
  readonly gapMs: number
  /** What it is called with; a count by default. */
  readonly value?: unknown
}

/** What calls of one contender took, in microseconds. */
export interface Timing {
  readonly name: string
  readonly gapMs: number
  /** Median over the rounds of each round's median. */
  readonly p50Us: number
  /** Of all calls of all rounds. */
  readonly p99Us: number
  readonly calls: number
}

/** Calls at the beginning of a block that are not counted: the caches are still somebody else's. */
const WARMING = 3
/** What a contender does after its last call is not charged to the next one. */
const SETTLE_MS = 15

/**
 * Calls all contenders in small blocks, in another order every round, so that what disturbs the machine
 * disturbs all of them.
 */
export async function timeInRounds(entries: readonly Entry[], spec: RoundSpec): Promise<Timing[]> {
  const blocks = entries.map((): number[][] => [])
  for (let round = 0; round < spec.rounds; round += 1) {
    for (const at of orderOf(entries.length, round)) {
      const entry = entries[at]
      if (entry !== undefined) blocks[at]?.push(await timeBlock(entry, spec))
    }
  }
  return entries.map(({ contender, gapMs }, at) => {
    const samples = blocks[at] ?? []
    return {
      name: contender.name,
      gapMs,
      p50Us: median(samples.map(median)),
      p99Us: percentile(samples.flat(), 0.99),
      calls: samples.flat().length,
    }
  })
}

/** Calls each contender until its code is compiled: `calls` times, or for `ms`. */
export async function warmUp(
  contenders: readonly Contender[],
  { calls, ms }: { readonly calls: number; readonly ms: number },
): Promise<void> {
  for (const contender of contenders) {
    const begun = performance.now()
    for (let made = 0; made < calls && performance.now() - begun < ms; made += 1) {
      const answer = await contender.call(made)
      if (answer !== made)
        throw new Error(`${contender.name} answers ${String(answer)}, not ${made}`)
    }
  }
}

/** Every round begins elsewhere, and every other one goes backwards: nobody always follows the same one. */
function orderOf(length: number, round: number): number[] {
  const order = Array.from({ length }, (_, step) => (step + round * 5) % length)
  return round % 2 === 0 ? order : order.toReversed()
}

async function timeBlock({ contender, gapMs, value }: Entry, spec: RoundSpec): Promise<number[]> {
  await sleep(SETTLE_MS)
  const samples: number[] = []
  const begun = performance.now()
  for (let made = 0; made < spec.calls + WARMING; made += 1) {
    if (gapMs > 0) await sleep(gapMs)
    const before = process.hrtime.bigint()
    await contender.call(value ?? made)
    const us = Number(process.hrtime.bigint() - before) / 1_000
    // A call so slow that a block holds but a few of them has no caches to warm.
    if (made >= WARMING || us * WARMING > spec.blockMs * 1_000) samples.push(us)
    if (samples.length > 0 && performance.now() - begun > spec.blockMs) break
  }
  return samples
}
