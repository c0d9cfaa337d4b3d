/** Numbers from 0 up to, not including, 1 that only the seed decides. */
export type Random = () => number

/** Creates a generator (mulberry32); good enough to jitter a load, and for nothing else. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Creates a drawer of indexes, each as often as its weight says. Weights are above 0. */
export function createPicker(weights: readonly number[], random: Random): () => number {
  if (weights.length === 1) return () => 0
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return () => {
    let left = random() * sum
    for (const [index, weight] of weights.entries()) {
      left -= weight
      if (left < 0) return index
    }
    return weights.length - 1
  }
}
