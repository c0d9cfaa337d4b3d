import { expect, test } from 'vitest'
import { createPicker, createRandom } from '../../src/load/random.ts'

test('createRandom() gives the same numbers for the same seed, spread evenly below 1', () => {
  const draw = (seed: number): number[] => {
    const random = createRandom(seed)
    return Array.from({ length: 10_000 }, () => random())
  }
  const numbers = draw(7)
  expect(draw(7)).toEqual(numbers)
  expect(draw(8)).not.toEqual(numbers)
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const within = numbers.filter((number) => Math.floor(number * 10) === tenth).length
    expect(Math.abs(within - 1_000)).toBeLessThan(150)
  }
})

test('createPicker() draws each index as often as its weight says', () => {
  const pick = createPicker([3, 1], createRandom(1))
  const counts = [0, 0]
  for (let n = 0; n < 4_000; n += 1) {
    const index = pick()
    counts[index] = (counts[index] ?? 0) + 1
  }
  expect(counts[0]).toBeGreaterThan(2_850)
  expect(counts[0]).toBeLessThan(3_150)
  expect(createPicker([5], createRandom(1))()).toBe(0)
})
