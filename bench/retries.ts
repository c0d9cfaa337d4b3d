// What retries cost: a body that fails a few times and then succeeds, without waits between the attempts.
import pRetry from 'p-retry'
import { createToolHost, defineTool } from '../src/index.ts'
import type { Contender } from './measure/contender.ts'
import { printHeading } from './measure/machine.ts'
import { printTable } from './measure/print-table.ts'
import { timeInRounds, warmUp } from './measure/rounds.ts'
import { toFigure } from './measure/stats.ts'

const FAILURES = [0, 1, 3]
const MOST = 3
const SPEC = { rounds: 6, calls: 100, blockMs: 250 }

const contenders = FAILURES.flatMap((failures) => [openOurs(failures), openBare(failures)])
await warmUp(contenders, { calls: 200, ms: 400 })
const timings = await timeInRounds(
  contenders.map((contender) => ({ contender, gapMs: 0 })),
  SPEC,
)
for (const contender of contenders) await contender.close()

printHeading('Retries: p50 of a call in µs by number of failures before its success')
printTable(
  ['failures', ...FAILURES.map(String)],
  ['inline, tool with retry', 'p-retry alone'].map((name, at) => [
    name,
    ...FAILURES.map((_, column) => toFigure(timings[2 * column + at]?.p50Us ?? Number.NaN)),
  ]),
)

/** The whole pipeline around a body that fails so often per call. */
function openOurs(failures: number): Contender {
  const host = createToolHost()
  let left = 0
  host.tools.register(
    defineTool({
      name: 'flaky',
      description: 'Fails a few times.',
      parameters: { value: { type: 'json', required: true } },
      output: { schema: { type: 'json' }, render: () => [{ type: 'text', text: 'done' }] },
      idempotent: true,
      retry: { retries: MOST, minTimeoutMs: 0, maxTimeoutMs: 0 },
      execute(args) {
        if ((left -= 1) >= 0) throw new Error('not yet')
        return args.value
      },
    }),
  )
  const { signal } = new AbortController()
  let calls = 0
  return {
    name: `inline after ${failures}`,
    async call(value) {
      left = failures
      const callId = `${(calls += 1)}`
      const input = { callId, name: 'flaky', arguments: { value }, signal }
      const result = await host.tools.execute(input)
      if (result.isError) throw new Error(result.error.message)
      return result.value
    },
    close: () => host.close(),
  }
}

/** The library that does the waiting, around the same body. */
function openBare(failures: number): Contender {
  let left = 0
  return {
    name: `p-retry after ${failures}`,
    async call(value) {
      left = failures
      const body = (): unknown => {
        if ((left -= 1) >= 0) throw new Error('not yet')
        return value
      }
      return pRetry(body, { retries: MOST, minTimeout: 0, maxTimeout: 0 })
    },
    close: async () => undefined,
  }
}
