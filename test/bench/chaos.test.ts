import { beforeAll, describe, expect, test } from 'vitest'
import { runChaos, type ChaosReport } from '../../bench/chaos/run-chaos.ts'

const RUN_MS = 15_000

describe('under chaos', () => {
  let report: ChaosReport

  beforeAll(async () => {
    const progress = (): void => undefined
    report = await runChaos({ calls: 1e6, ms: RUN_MS, seed: 15, hostile: true, progress })
  }, 120_000)

  test('the run was what it says: many calls, and some of every kind of failure', () => {
    expect(report.made).toBeGreaterThan(500)
    expect(Object.keys(report.failures)).toEqual(
      expect.arrayContaining(
        'TOOL_ERROR INVALID_TOOL_OUTPUT OUTPUT_LIMIT TOOL_CRASHED TOOL_TIMEOUT TOOL_OUT_OF_MEMORY'.split(
          ' ',
        ),
      ),
    )
  })

  test.each([
    ['lost', 'every call settles, and its result is announced'],
    ['doubled', 'no result comes twice'],
    ['mixed up', 'no call gets the answer of another'],
    ['wrong outcome', 'every failure has the one code its cause has'],
    ['body not run once', 'a body that has begun is not run again'],
    ['host harmed', 'nothing reaches the host that nobody waits for'],
    ['slots lost', 'every place works again afterwards'],
    ['growth', 'memory, handles, descriptors and listeners stay where they were'],
    ['left behind', 'no process and no handle is left after close'],
  ])('%s: %s', (promise) => {
    expect(report.violations.filter((line) => line.startsWith(`${promise}:`))).toEqual([])
  })
})
