import { rngChacha20 } from '@noble/ciphers/chacha.js'
import { shared } from '../shared.ts'

const { defineTag, DOMException } = shared

/** Random bytes of one context, all drawn from the seed it was given. */
export interface RandomSource {
  bytes(length: number): Uint8Array
}

/** Creates the generator: ChaCha20 keyed with the seed (bytes, or hex). */
export function createRandomSource(seed: string | Uint8Array): RandomSource {
  const generator = rngChacha20(typeof seed === 'string' ? toBytes(seed) : seed)
  return { bytes: (length) => generator.randomBytes(length) }
}

function toBytes(seed: string): Uint8Array {
  const bytes = new Uint8Array(seed.length / 2)
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = Number.parseInt(seed.slice(at * 2, at * 2 + 2), 16)
  }
  return bytes
}

const QUOTA_BYTES = 65_536
const INTEGER_ARRAYS = /^(Big)?(Ui|I)nt(8|16|32|64)(Clamped)?Array$/

/** The global `crypto`: getRandomValues and randomUUID; there is no `subtle`. */
export function createWebCrypto(random: RandomSource): object {
  const crypto = {
    getRandomValues<T extends ArrayBufferView>(array: T): T {
      if (!INTEGER_ARRAYS.test(Object.prototype.toString.call(array).slice(8, -1))) {
        throw new DOMException(
          'The data argument must be an integer-type TypedArray',
          'TypeMismatchError',
        )
      }
      if (array.byteLength > QUOTA_BYTES) {
        const message = 'The requested length exceeds 65,536 bytes'
        throw new DOMException(message, 'QuotaExceededError')
      }
      const target = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
      target.set(random.bytes(array.byteLength))
      return array
    },
    randomUUID: () => toUUID(random.bytes(16)),
  }
  defineTag(crypto, 'Crypto')
  return crypto
}

/** A version 4 UUID of 16 random bytes. */
export function toUUID(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  let text = ''
  for (let at = 0; at < 16; at += 1) {
    if (at === 4 || at === 6 || at === 8 || at === 10) text += '-'
    text += (bytes[at] as number).toString(16).padStart(2, '0')
  }
  return text
}
