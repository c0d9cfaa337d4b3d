import { comeToRest, findLeftovers, watchFaults } from './aftermath.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createRandom } from './random.ts'
import { createRig, SLOTS, type Rig } from './rig.ts'
import { rollCall, storm } from './storm.ts'
import { createPace, PAIR_MS, type Pace } from './pace.ts'
import { median } from '../measure/stats.ts'
import { findGrowth, readVitals, type Tolerance, type Vitals } from './vitals.ts'

/** What a run does; it ends at whichever of the two is first. */
export interface ChaosSpec {
  readonly calls: number
  readonly ms: number
  readonly seed: number
  /** False: nothing but good calls. */
  readonly hostile: boolean
  /** Hears of every tenth. */
  progress(tenth: Tenth): void
}

/** One tenth of a run. */
export interface Tenth {
  readonly tenth: number
  readonly made: number
  readonly callsPerSecond: number
  /** Good calls per CPU second, divided by those of the bare primitive. */
  readonly pace: number
  readonly vitals: Vitals
}

/** What came of a run; no violation means that every promise was kept. */
export interface ChaosReport {
  readonly made: number
  readonly failures: Readonly<Record<string, number>>
  readonly tenths: readonly Tenth[]
  readonly missing: readonly string[]
  readonly violations: readonly string[]
}

const TENTHS = 10
const CALLERS = 12
const PAIRS = 9
/** A shorter run cannot tell whether it slows down. */
const LEAST_PACED_MS = 60_000
const REST_MS = 400
const LEAST_PACE = 0.9
/** One pace is off by a third now and then: the middle one of so many tenths is what counts. */
const COMPARED = 3
/** A pace that was too low is measured again this often, with nothing else going on. */
const SECOND_LOOKS = 6
const MOST_CALLS = 4_000_000
/** Resident memory holds the heaps of worker threads too, which collect when they like. */
const TOLERANCE: Tolerance = { rssMb: 96, heapMb: 8, handles: 12, descriptors: 16, listeners: 0 }

/** Runs a host through everything at once and holds it to what it promises. */
export async function runChaos(spec: ChaosSpec): Promise<ChaosReport> {
  const ledger = createLedger(Math.min(MOST_CALLS, spec.calls * 2 + 1_000_000))
  const faults = watchFaults()
  const before = process.getActiveResourcesInfo().length
  const rig = await createRig(ledger)
  const tenths: Tenth[] = []
  const violations: string[] = []
  try {
    await using pace = await createPace(rig)
    violations.push(...(await runTenths({ rig, ledger, pace, tenths }, spec)))
    violations.push(
      ...findGrowth(
        tenths.map(({ vitals }) => vitals),
        TOLERANCE,
      ),
    )
    violations.push(...(await findLostSlots(rig, ledger)))
    for (const engine of rig.engines) await rig.call({ engine, kind: 'good', ms: 0 })
  } finally {
    const pids = rig.host.childPids()
    await rig.host.close()
    violations.push(...(await findLeftovers(pids, before)))
    faults.stop()
  }
  ledger.close()
  return {
    made: ledger.made,
    failures: ledger.failures,
    tenths,
    missing: rig.missing,
    violations: [...ledger.violations, ...violations, ...faults.seen],
  }
}

interface Running {
  readonly rig: Rig
  readonly ledger: Ledger
  readonly pace: Pace
  readonly tenths: Tenth[]
}

async function runTenths(running: Running, spec: ChaosSpec): Promise<string[]> {
  const { rig, ledger, pace, tenths } = running
  const random = createRandom(spec.seed)
  const pairs = spec.ms < LEAST_PACED_MS ? 0 : PAIRS
  // Who lasts for a tenth is measured in what is left of it.
  const stormMs = spec.ms / TENTHS - pairs * PAIR_MS - REST_MS
  if (spec.hostile) await rollCall(rig)
  await pace.measure(pairs) // The first calls are everybody's slowest.
  for (let tenth = 1; tenth <= TENTHS; tenth += 1) {
    const begun = performance.now()
    const isOver = (): boolean =>
      ledger.made >= (spec.calls * tenth) / TENTHS || performance.now() - begun >= stormMs
    await storm(rig, { ledger, random }, { hostile: spec.hostile, callers: CALLERS, isOver })
    await comeToRest(rig.host)
    const sample = await pace.measure(pairs)
    await comeToRest(rig.host)
    const vitals = readVitals(rig.signals, rig.host.childPids().length)
    const entry = { tenth, made: ledger.made, ...sample, vitals }
    tenths.push(entry)
    spec.progress(entry)
  }
  return pairs === 0 ? [] : findSlowdown(pace, tenths)
}

async function findSlowdown(pace: Pace, tenths: readonly Tenth[]): Promise<string[]> {
  const paceOf = (some: readonly Tenth[]): number => median(some.map(({ pace: seen }) => seen))
  const first = paceOf(tenths.slice(0, COMPARED))
  let last = paceOf(tenths.slice(-COMPARED))
  for (let look = 0; look < SECOND_LOOKS && last < first * LEAST_PACE; look += 1) {
    last = (await pace.measure(2 * PAIRS)).pace
  }
  if (last >= first * LEAST_PACE) return []
  const share = Math.round((last / first) * 100)
  return [`slowdown: the last tenths answer ${share} % of what the first did`]
}

const SLOW_MS = 300
const SLOT_LOOKS = 8

/** Places that an engine has lost are no work, so no pace shows them: bodies have to run in all at once. */
async function findLostSlots(rig: Rig, ledger: Ledger): Promise<string[]> {
  const lost: string[] = []
  for (const engine of rig.engines) {
    let most = 0
    for (let look = 0; look < SLOT_LOOKS && most < SLOTS; look += 1) {
      ledger.takePeak(engine)
      const call = { engine, kind: 'slow', ms: SLOW_MS } as const
      await Promise.all(Array.from({ length: SLOTS }, () => rig.call(call)))
      most = Math.max(most, ledger.takePeak(engine))
    }
    if (most < SLOTS) lost.push(`slots lost: ${most} of ${SLOTS} bodies run at once in ${engine}`)
  }
  return lost
}
