import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLazyTimer } from '../../../src/engine/shared/lazy-timer.ts'

test('createLazyTimer() fires once, not before its time', async () => {
  const begun = performance.now()
  let fired: number[] = []
  const timer = createLazyTimer(() => fired.push(performance.now() - begun))
  timer.set(60)
  await sleep(300)
  expect(fired).toHaveLength(1)
  expect(fired[0]).toBeGreaterThanOrEqual(59)
  fired = []
  await sleep(100)
  expect(fired).toEqual([])
})

test('createLazyTimer() goes by what it was set to last, sooner or later', async () => {
  const begun = performance.now()
  const fired: number[] = []
  const timer = createLazyTimer(() => fired.push(performance.now() - begun))
  timer.set(20)
  timer.clear()
  timer.set(120)
  await sleep(400)
  expect(fired).toHaveLength(1)
  expect(fired[0]).toBeGreaterThanOrEqual(119)
  timer.set(60_000)
  timer.set(20)
  await sleep(300)
  expect(fired).toHaveLength(2)
})

test('createLazyTimer() never fires once it is cleared', async () => {
  let fired = 0
  const timer = createLazyTimer(() => (fired += 1))
  for (const wait of [0, 5, 30]) {
    timer.set(20)
    if (wait < 20) await sleep(wait)
    timer.clear()
  }
  await sleep(100)
  expect(fired).toBe(0)
})
