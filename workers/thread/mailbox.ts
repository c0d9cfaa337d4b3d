import { now } from './clock.ts'

/**
 * Where one thread leaves a text for another that is awake, in memory that both share: a message would
 * cost it the waking of a thread that does not sleep.
 */
export interface Mailbox {
  readonly words: Int32Array<SharedArrayBuffer>
  readonly text: Buffer<SharedArrayBuffer>
}

const STATE = 0
const LENGTH = 1
const WORDS = 2
const TEXT_BYTES = 32 * 1024
/** What a UTF-16 code unit may take in UTF-8. */
const UNIT_BYTES = 3

const SHUT = 0
const OPEN = 1
const FULL = 2

const START = WORDS * Int32Array.BYTES_PER_ELEMENT

/** The memory of a mailbox, which is shut. */
export function createMailboxMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(START + TEXT_BYTES)
}

/** One side's view of it. */
export function viewMailbox(memory: SharedArrayBuffer): Mailbox {
  return { words: new Int32Array(memory, 0, WORDS), text: Buffer.from(memory, START, TEXT_BYTES) }
}

/** Leaves a text; false, and nothing is left, when whom it is for may sleep or it is too long. */
export function leaveMail({ words, text }: Mailbox, given: string): boolean {
  if (given.length * UNIT_BYTES > TEXT_BYTES) return false
  if (Atomics.load(words, STATE) !== OPEN) return false
  Atomics.store(words, LENGTH, text.write(given))
  return Atomics.compareExchange(words, STATE, OPEN, FULL) === OPEN
}

/** From now on something may be left; whoever says so takes it before its thread sleeps. */
export function openMailbox({ words }: Mailbox): void {
  Atomics.store(words, STATE, OPEN)
}

/**
 * Shuts the mailbox and answers with what was left, after it has waited for that until `until`, by
 * `performance.now()`. Holds up its thread.
 */
export function takeMail({ words, text }: Mailbox, until: number = 0): string | undefined {
  while (Atomics.load(words, STATE) === OPEN && now() < until);
  // Nobody sends what was left once more, even if it was left only now.
  if (Atomics.compareExchange(words, STATE, OPEN, SHUT) !== FULL) return undefined
  const taken = text.toString('utf8', 0, Atomics.load(words, LENGTH))
  Atomics.store(words, STATE, SHUT)
  return taken
}
