// What one call of a no-op costs, from asking to the checked answer: npm run bench:dispatch [-- --json].
import { parseArgs } from 'node:util'
import { OUR_NAMES, ours } from './contenders/ours.ts'
import { PEERS } from './contenders/peers.ts'
import { openAll, type Contender } from './measure/contender.ts'
import { describeMachine, printHeading } from './measure/machine.ts'
import { printTable } from './measure/print-table.ts'
import { timeInRounds, warmUp } from './measure/rounds.ts'
import { toFigure } from './measure/stats.ts'

interface Row {
  readonly name: string
  readonly pacing: 'paced' | 'back-to-back'
  readonly p50Us: number
  readonly p99Us: number
  /** Against Piscina called with the same pacing. */
  readonly ratioToPiscina: number
}

const PISCINA = 'piscina'
const GAP_MS = 3
const SPEC = { rounds: 12, calls: 300, blockMs: 200 }
/** Its contexts are prepared between calls, so it is called as an agent would: with a pause. */
const PACED = 'isolate'

const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values
const openers = [...OUR_NAMES.map((name) => ours(name)), ...PEERS]
await using contenders = await openAll(openers, 'echo')
const rows = await measure(contenders.list)
const lead = contenders.list.flatMap(({ name }) =>
  rows.filter((row) => row.name === name && (row.pacing === 'paced') === (name === PACED)),
)
if (json) console.log(JSON.stringify({ contenders: lead, pacings: rows, ...describeMachine() }))
else print()

/** Everybody back to back; ours and Piscina with a pause before each call as well. */
async function measure(all: readonly Contender[]): Promise<Row[]> {
  await warmUp(all, { calls: 3_000, ms: 700 })
  const paced = all.filter(({ name }) => name === PISCINA || OUR_NAMES.some((own) => own === name))
  const entries = [
    ...all.map((contender) => ({ contender, gapMs: 0 })),
    ...paced.map((contender) => ({ contender, gapMs: GAP_MS })),
  ]
  const timings = await timeInRounds(entries, SPEC)
  const baseOf = (gapMs: number): number =>
    timings.find((timing) => timing.name === PISCINA && timing.gapMs === gapMs)?.p50Us ?? Number.NaN
  return timings.map(({ name, gapMs, p50Us, p99Us }) => ({
    name,
    pacing: gapMs === 0 ? 'back-to-back' : 'paced',
    p50Us: round(p50Us, 1),
    p99Us: round(p99Us, 1),
    ratioToPiscina: round(p50Us / baseOf(gapMs), 3),
  }))
}

function print(): void {
  printHeading('Dispatch: one call of a no-op')
  const draw = (of: Row['pacing']): string[][] =>
    rows
      .filter(({ pacing }) => pacing === of)
      .map(({ name, p50Us, p99Us, ratioToPiscina }) => [
        name,
        toFigure(p50Us),
        toFigure(p99Us),
        `${toFigure(ratioToPiscina)}×`,
      ])
  printTable(['back to back', 'p50 µs', 'p99 µs', 'of Piscina'], draw('back-to-back'))
  printTable([`${GAP_MS} ms apart`, 'p50 µs', 'p99 µs', 'of Piscina'], draw('paced'))
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
