// What policy costs per listener: listeners that let everything through, in this thread.
import { createOriginal } from './contenders/original.ts'
import { createDefinition } from './contenders/ours.ts'
import { createToolHost, type ToolHost } from '../src/index.ts'
import type { Contender } from './measure/contender.ts'
import { printHeading } from './measure/machine.ts'
import { printTable } from './measure/print-table.ts'
import { timeInRounds, warmUp } from './measure/rounds.ts'
import { toFigure } from './measure/stats.ts'

type Next = () => Promise<unknown>

/** What a listener is added to, for ours and for the original pipeline. */
interface Place {
  on(event: string, listener: (...args: never[]) => unknown): unknown
  guard(guard: () => undefined): unknown
}

interface Point {
  readonly name: string
  add(place: Place): void
}

const COUNTS = [0, 1, 10, 50]
const SPEC = { rounds: 6, calls: 300, blockMs: 120 }
const POINTS: readonly Point[] = [
  { name: 'guard', add: (place) => void place.guard(() => undefined) },
  ...['tools/pre-execute', 'tools/execute', 'tools/post-execute'].map((name) => ({
    name,
    add: (place: Place) =>
      void place.on(name, (...args: never[]) => (args.at(-1) as unknown as Next)()),
  })),
  { name: 'tools/result', add: (place) => void place.on('tools/result', () => undefined) },
]

printHeading('Policy: µs per call by number of listeners that let it through')
const rows: string[][] = []
for (const point of POINTS) rows.push(...(await measure(point)))
printTable(['listener', ...COUNTS.map(String), 'each'], rows)

async function measure(point: Point): Promise<string[][]> {
  const contenders: Contender[] = []
  for (const count of COUNTS)
    contenders.push(openOurs(point, count), await openTheirs(point, count))
  await warmUp(contenders, { calls: 1_000, ms: 300 })
  const entries = contenders.map((contender) => ({ contender, gapMs: 0 }))
  const timings = await timeInRounds(entries, SPEC)
  for (const contender of contenders) await contender.close()
  return ['caisson', 'dsh-tools'].map((name, at) => {
    const p50 = COUNTS.map((_, column) => timings[2 * column + at]?.p50Us ?? Number.NaN)
    const [none = Number.NaN] = p50
    const each = ((p50.at(-1) ?? Number.NaN) - none) / (COUNTS.at(-1) ?? 1)
    return [`${point.name}, ${name}`, ...p50.map(toFigure), toFigure(each)]
  })
}

function openOurs(point: Point, count: number): Contender {
  const host: ToolHost = createToolHost()
  host.tools.register(createDefinition('echo'))
  const place: Place = {
    on: (event, listener) => host.on(event, listener),
    guard: (guard) => host.tools.guard(guard),
  }
  for (let at = 0; at < count; at += 1) point.add(place)
  const { signal } = new AbortController()
  let calls = 0
  return {
    name: `caisson with ${count}`,
    async call(value) {
      const callId = `${(calls += 1)}`
      const result = await host.tools.execute({
        callId,
        name: 'echo',
        arguments: { value },
        signal,
      })
      if (result.isError) throw new Error(result.error.message)
      return result.value
    },
    close: () => host.close(),
  }
}

async function openTheirs(point: Point, count: number): Promise<Contender> {
  const original = await createOriginal()
  original.register(createDefinition('echo'))
  for (let at = 0; at < count; at += 1) point.add(original)
  return {
    name: `dsh-tools with ${count}`,
    call: (value) => original.execute('echo', { value }),
    close: async () => original[Symbol.asyncDispose](),
  }
}
