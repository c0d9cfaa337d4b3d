// Calls per second with 1 to 64 callers at a time; then with a realistic body, beside what else gives every
// call a global of its own.
import { ours } from './contenders/ours.ts'
import { openPiscina } from './contenders/pools.ts'
import { FRESH_PEERS, PEERS } from './contenders/peers.ts'
import { createCsv } from './fixtures/bodies.ts'
import { openAll } from './measure/contender.ts'
import { describeMachine, printHeading } from './measure/machine.ts'
import { printTable } from './measure/print-table.ts'
import { saturateInRounds } from './measure/saturate.ts'
import { toFigure, toRatio } from './measure/stats.ts'

const CONCURRENCY = [1, 4, 16, 64]
const NAMES = ['inline', 'thread', 'isolate', 'isolate-frozen'] as const
const SPEC = { rounds: 3, blockMs: 250 }
/** 64 programs at a time on two cores take their time. */
const PATIENT = { queueTimeoutMs: 120_000 }
const { cores } = describeMachine()

await printNoOp()
await printCsv()

async function printNoOp(): Promise<void> {
  const openers = [...NAMES, 'process' as const].map((name) => ours(name, PATIENT))
  await using contenders = await openAll([...openers, ...PEERS], 'echo')
  const columns: number[][] = []
  for (const concurrency of CONCURRENCY) {
    columns.push(await saturateInRounds(contenders.list, { ...SPEC, concurrency, value: 1 }))
  }
  printHeading('Throughput: calls of a no-op per second')
  printTable(
    ['callers at a time', ...CONCURRENCY.map(String), 'per core'],
    contenders.list.map(({ name }, row) => {
      const rates = columns.map((column) => column[row] ?? Number.NaN)
      return [name, ...[...rates, Math.max(...rates) / cores].map(toFigure)]
    }),
  )
}

async function printCsv(): Promise<void> {
  const openers = [...NAMES.map((name) => ours(name)), openPiscina, ...FRESH_PEERS]
  await using contenders = await openAll(openers, 'csv')
  const value = createCsv()
  const spec = { ...SPEC, concurrency: 2 * cores, value }
  const rates = await saturateInRounds(contenders.list, spec)
  const own = rates[contenders.list.findIndex(({ name }) => name === 'isolate')] ?? Number.NaN
  printHeading('Throughput: 100 KB of CSV parsed and added up, per second')
  printTable(
    [`${spec.concurrency} callers at a time`, 'calls/s', 'isolate is'],
    contenders.list.map(({ name }, row) => {
      const rate = rates[row] ?? Number.NaN
      return [name, toFigure(rate), toRatio(own, rate)]
    }),
  )
}
