import { expect, test } from 'vitest'
import { createLaunchList } from '../../../src/engine/isolate/launch-list.ts'
import {
  dataBytes,
  launchKey,
  type RunnerLaunch,
} from '../../../src/engine/isolate/runner-launch.ts'

const MB = 2 ** 20

function launch(memoryMb: number, more: Partial<RunnerLaunch> = {}): RunnerLaunch {
  const plain = { jit: true, isolates: 1, kernelLimits: 'preferred', walls: undefined } as const
  return { memoryMb, ...plain, ...more }
}

test('use() keeps spares of the first launch and of the three used last', () => {
  const list = createLaunchList(launch(64))
  expect(list.use(launch(64))).toEqual([])
  for (const memoryMb of [8, 16, 32]) expect(list.use(launch(memoryMb))).toEqual([])
  expect(list.use(launch(8))).toEqual([])
  expect(list.use(launch(128))).toEqual([launchKey(launch(16))])
  expect(list.list().map(({ memoryMb }) => memoryMb)).toEqual([64, 32, 8, 128])
})

test('launchKey() tells apart all that a runner is started with', () => {
  const keys = [
    launch(64),
    launch(65),
    launch(64, { jit: false }),
    launch(64, { isolates: 4 }),
    launch(64, { kernelLimits: 'required' }),
  ].map(launchKey)
  expect(new Set(keys).size).toBe(keys.length)
})

test('dataBytes() grows with what a runner may use, and is far lower without compilers', () => {
  const [plain, roomy, dense] = [launch(64), launch(128), launch(64, { isolates: 4 })].map(
    dataBytes,
  )
  expect(roomy).toBe((plain ?? 0) + 128 * MB)
  expect(dense).toBeGreaterThan((plain ?? 0) + 3 * 512 * MB)
  const interpreted = dataBytes(launch(64, { jit: false }))
  expect(interpreted).toBeGreaterThan(192 * MB)
  expect(interpreted).toBeLessThan((plain ?? 0) / 3)
})
