// What the size of arguments and result costs: an echo of 100 B to 1 MB, back to back.
import { ours } from './contenders/ours.ts'
import { PEERS } from './contenders/peers.ts'
import { openAll } from './measure/contender.ts'
import { printHeading } from './measure/machine.ts'
import { printTable } from './measure/print-table.ts'
import { timeInRounds } from './measure/rounds.ts'
import { toFigure, toRatio } from './measure/stats.ts'

const SIZES = [100, 1_000, 10_000, 100_000, 1_000_000]
const NAMES = ['inline', 'thread', 'isolate', 'isolate-frozen'] as const
const SPEC = { rounds: 3, calls: 30, blockMs: 90 }

await using contenders = await openAll([...NAMES.map((name) => ours(name)), ...PEERS], 'echo')
const entries = contenders.list.flatMap((contender) =>
  SIZES.map((size) => ({ contender, gapMs: 0, value: 'x'.repeat(size) })),
)
const timings = await timeInRounds(entries, SPEC)
const cellOf = (row: number, column: number): number =>
  timings[row * SIZES.length + column]?.p50Us ?? Number.NaN
const base = contenders.list.findIndex(({ name }) => name === 'piscina')

printHeading('Payload: p50 of an echo in µs, and of Piscina’s')
printTable(
  ['bytes there and back', ...SIZES.flatMap((size) => [`${size}`, ''])],
  contenders.list.map(({ name }, row) => [
    name,
    ...SIZES.flatMap((_, column) => [
      toFigure(cellOf(row, column)),
      toRatio(cellOf(row, column), cellOf(base, column)),
    ]),
  ]),
)
