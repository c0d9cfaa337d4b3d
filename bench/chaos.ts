// Good, slow and hostile calls in every engine, with runners killed and calls aborted at random:
// npm run bench:chaos -- [--calls 100000 | --minutes 3] [--seed 7] [--calm]. Exits with 1 for a broken promise.
import { parseArgs } from 'node:util'
import { runChaos, type Tenth } from './chaos/run-chaos.ts'
import { printHeading } from './measure/machine.ts'
import { note, printTable } from './measure/print-table.ts'
import { toFigure } from './measure/stats.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    calm: { type: 'boolean', default: false },
  },
})
const DEFAULT_CALLS = 100_000
const calls = toNumber('calls', values.calls ?? (values.minutes ? 'Infinity' : `${DEFAULT_CALLS}`))
const minutes = toNumber('minutes', values.minutes ?? 'Infinity')
const seed = toNumber('seed', values.seed)
const begun = performance.now()

printHeading(values.calm ? 'Soak' : 'Chaos')
const report = await runChaos({
  calls,
  ms: minutes * 60_000,
  seed,
  hostile: !values.calm,
  progress: ({ tenth, made }) => note(`${tenth}/10: ${made} calls`),
})
for (const why of report.missing) note(`not part of it: ${why}`)
printTable(
  ['tenth', 'calls', 'calls/s', 'pace', 'RSS MB', 'heap MB', 'handles', 'fds', 'listeners'],
  report.tenths.map(toRow),
)
const seconds = (performance.now() - begun) / 1_000
console.log(`${report.made} calls in ${seconds.toFixed(0)} s, seed ${seed}`)
console.log(`failures: ${JSON.stringify(report.failures)}`)
for (const violation of report.violations) console.log(`VIOLATED ${violation}`)
console.log(`${report.violations.length} promises broken`)
process.exitCode = report.violations.length === 0 ? 0 : 1

function toRow({ tenth, made, callsPerSecond, pace, vitals }: Tenth): string[] {
  const { rssMb, heapMb, handles, descriptors, listeners } = vitals
  return [
    `${tenth}`,
    ...[made, callsPerSecond].map((value) => value.toFixed(0)),
    ...[pace, rssMb, heapMb].map(toFigure),
    ...[handles, descriptors, listeners].map(String),
  ]
}

function toNumber(name: string, text: string): number {
  const value = Number(text)
  if (value > 0) return value
  console.error(`--${name}: ${text} is no number above 0`)
  process.exit(2)
}
