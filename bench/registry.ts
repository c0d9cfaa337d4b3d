// Whether a call costs more the more tools are registered: 1 to 1 000, in this thread.
import { createOriginal } from './contenders/original.ts'
import { createDefinition } from './contenders/ours.ts'
import { createToolHost } from '../src/index.ts'
import type { Contender } from './measure/contender.ts'
import { printHeading } from './measure/machine.ts'
import { printTable } from './measure/print-table.ts'
import { timeInRounds, warmUp } from './measure/rounds.ts'
import { toFigure, toRatio } from './measure/stats.ts'

const SIZES = [1, 10, 100, 1_000]
const SPEC = { rounds: 6, calls: 300, blockMs: 150 }
const NAMES = ['inline', 'dsh-tools'] as const

const contenders: Contender[] = []
for (const size of SIZES) contenders.push(await openOurs(size), await openTheirs(size))
await warmUp(contenders, { calls: 2_000, ms: 400 })
const timings = await timeInRounds(
  contenders.map((contender) => ({ contender, gapMs: 0 })),
  SPEC,
)
for (const contender of contenders) await contender.close()

printHeading('Registry: p50 of a call in µs by number of registered tools')
const p50 = (row: number, column: number): number =>
  timings[column * NAMES.length + row]?.p50Us ?? Number.NaN
printTable(
  ['tools', ...SIZES.map(String), `${SIZES.at(-1)} of ${SIZES[0]}`],
  NAMES.map((name, row) => [
    name,
    ...SIZES.map((_, column) => toFigure(p50(row, column))),
    toRatio(p50(row, SIZES.length - 1), p50(row, 0)),
  ]),
)

async function openOurs(size: number): Promise<Contender> {
  const host = createToolHost()
  for (let at = 0; at < size; at += 1) host.tools.register(named(at))
  const { signal } = new AbortController()
  let calls = 0
  return {
    name: `inline of ${size}`,
    async call(value) {
      const callId = `${(calls += 1)}`
      const name = `echo_${calls % size}`
      const result = await host.tools.execute({ callId, name, arguments: { value }, signal })
      if (result.isError) throw new Error(result.error.message)
      return result.value
    },
    close: () => host.close(),
  }
}

async function openTheirs(size: number): Promise<Contender> {
  const original = await createOriginal()
  for (let at = 0; at < size; at += 1) original.register(named(at))
  let calls = 0
  return {
    name: `dsh-tools of ${size}`,
    call: (value) => original.execute(`echo_${(calls += 1) % size}`, { value }),
    close: async () => original[Symbol.asyncDispose](),
  }
}

function named(at: number): ReturnType<typeof createDefinition> {
  return { ...createDefinition('echo'), name: `echo_${at}` }
}
