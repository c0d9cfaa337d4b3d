import { getEventListeners } from 'node:events'
import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { median } from '../measure/stats.ts'

/** What a host holds while nothing is called. */
export interface Vitals {
  readonly rssMb: number
  readonly heapMb: number
  /** Open handles and requests, without those that each child takes. */
  readonly handles: number
  readonly descriptors: number
  readonly listeners: number
}

const MB = 1024 * 1024
/** A child is a process and three pipes. */
const HANDLES_PER_CHILD = 4
const DESCRIPTORS_PER_CHILD = 3

/** Looks at this process after a garbage collection. */
export function readVitals(signals: readonly AbortSignal[], children: number): Vitals {
  collectGarbage()
  const { rss, heapUsed } = process.memoryUsage()
  const onProcess = process.eventNames().map((name) => process.listenerCount(name))
  const onSignals = signals.map((signal) => getEventListeners(signal, 'abort').length)
  return {
    rssMb: rss / MB,
    heapMb: heapUsed / MB,
    handles: process.getActiveResourcesInfo().length - HANDLES_PER_CHILD * children,
    descriptors: countDescriptors() - DESCRIPTORS_PER_CHILD * children,
    listeners: [...onProcess, ...onSignals].reduce((sum, count) => sum + count, 0),
  }
}

/** What may be added between warm-up and end without being growth. */
export type Tolerance = Readonly<Record<keyof Vitals, number>>

/** Compares the end of a run with its beginning, after a warm-up of two samples; one line per growth. */
export function findGrowth(samples: readonly Vitals[], tolerance: Tolerance): string[] {
  const early = samples.slice(2, 5)
  const late = samples.slice(-3)
  return (Object.keys(tolerance) as (keyof Vitals)[]).flatMap((key) => {
    const [before, after] = [early, late].map((some) => median(some.map((sample) => sample[key])))
    if (before === undefined || after === undefined) return []
    if (after - before <= tolerance[key]) return []
    return [`growth: ${key} from ${before.toFixed(1)} to ${after.toFixed(1)}`]
  })
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
}

function countDescriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
}
