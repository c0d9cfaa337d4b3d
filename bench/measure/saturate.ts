import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from './contender.ts'
import { median } from './stats.ts'

export interface SaturationSpec {
  readonly rounds: number
  readonly concurrency: number
  readonly blockMs: number
  readonly value: unknown
}

const SETTLE_MS = 30

/** Calls per second of each contender with so many callers at a time: medians over interleaved rounds. */
export async function saturateInRounds(
  contenders: readonly Contender[],
  spec: SaturationSpec,
): Promise<number[]> {
  const rates = contenders.map((): number[] => [])
  for (let round = 0; round < spec.rounds; round += 1) {
    for (let step = 0; step < contenders.length; step += 1) {
      const at = (step + round) % contenders.length
      const contender = contenders[at]
      if (contender === undefined) continue
      await sleep(SETTLE_MS)
      rates[at]?.push(await saturate(contender, spec))
    }
  }
  return rates.map(median)
}

async function saturate(contender: Contender, spec: SaturationSpec): Promise<number> {
  const begun = performance.now()
  let made = 0
  const callOn = async (): Promise<void> => {
    while (performance.now() - begun < spec.blockMs) {
      await contender.call(spec.value)
      made += 1
    }
  }
  await Promise.all(Array.from({ length: spec.concurrency }, callOn))
  return made / ((performance.now() - begun) / 1_000)
}
