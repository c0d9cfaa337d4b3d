const imul = Math.imul

/**
 * A generator for `Math.random`: sfc32, seeded with 16 of the given bytes. The engine's own draws
 * from one state for all calls of a context, so that one could tell what another had drawn.
 */
export function createDice(seed: Uint8Array): () => number {
  let a = toWord(seed, 0)
  let b = toWord(seed, 4)
  let c = toWord(seed, 8)
  let counter = toWord(seed, 12)
  const next = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  return () => (next() * 2_097_152 + (next() >>> 11)) / 9_007_199_254_740_992
}

function toWord(bytes: Uint8Array, at: number): number {
  let word = 0
  for (let next = at; next < at + 4; next += 1) word = imul(word, 256) + (bytes[next] as number)
  return word | 0
}
