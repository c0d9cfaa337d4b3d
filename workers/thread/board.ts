const STARTED = 0
const STAGE = 1
const REST = 2
const HEARD = 3
const OFFER = 4
const TOOK = 5
const WORDS = 6

const MOST = 2 ** 31 - 1

/** Messages a worker may be ahead of the host. */
const WINDOW = 128

const STAGES = [undefined, 'render', 'presentationMeta'] as const
/** The last bits of the stage word name the stage; the others rise with every projection. */
const STAGE_BITS = 2
const STAGE_MASK = (1 << STAGE_BITS) - 1

/** The last bits of the offer word say what became of the offer; the others are its number. */
const OFFER_BITS = 2
const TAKEN = 1
const WITHDRAWN = 2

/** A projection that a body's run goes through. */
export type Stage = 'render' | 'presentationMeta'

/**
 * A few words that the worker writes and the host reads whenever it likes, also while the worker is
 * stuck; unlike a message they cost nobody a turn of a loop.
 */
export type Board = Int32Array<SharedArrayBuffer>

export function createBoard(): Board {
  return new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT))
}

/** Worker: a body is about to be entered. */
export function noteStarted(board: Board): void {
  Atomics.add(board, STARTED, 1)
}

/** Host: how many bodies have been entered. */
export function readStarted(board: Board): number {
  return Atomics.load(board, STARTED)
}

/** Worker: what its last call took from its arrival to its answer, in milliseconds. */
export function noteTook(board: Board, ms: number): void {
  Atomics.store(board, TOOK, Math.min(Math.round(ms * 1_000), MOST))
}

/** Host: what the worker's last call took in it, in milliseconds. */
export function readTook(board: Board): number {
  return Atomics.load(board, TOOK) / 1_000
}

/** Worker: a projection begins. */
export function enterStage(board: Board, stage: Stage): void {
  const turn = (Atomics.load(board, STAGE) >> STAGE_BITS) + 1
  Atomics.store(board, STAGE, (turn << STAGE_BITS) | STAGES.indexOf(stage))
}

/** Worker: no projection runs any more. */
export function leaveStage(board: Board): void {
  Atomics.store(board, STAGE, Atomics.load(board, STAGE) & ~STAGE_MASK)
}

/** Host: the projection that runs now, and a number that tells it from the one before. */
export function readStage(board: Board): {
  readonly turn: number
  readonly stage: Stage | undefined
} {
  const turn = Atomics.load(board, STAGE)
  return { turn, stage: STAGES[turn & STAGE_MASK] }
}

/** Worker: one more call has come to rest, or has left something behind. */
export function noteRest(board: Board, clean: boolean): void {
  const calls = (Atomics.load(board, REST) >> 1) + 1
  Atomics.store(board, REST, (calls << 1) | (clean ? 0 : 1))
  Atomics.notify(board, REST)
}

/** Host: what is known of the rest after `calls` calls. */
export function readRest(board: Board, calls: number): 'fit' | 'unfit' | 'pending' {
  const word = Atomics.load(board, REST)
  if (word >> 1 < calls) return 'pending'
  return (word & 1) === 0 ? 'fit' : 'unfit'
}

/** Host: resolves when the worker has come to rest after `calls` calls, or `ms` have passed. */
export async function awaitRest(board: Board, calls: number, ms: number): Promise<void> {
  const word = Atomics.load(board, REST)
  if (word >> 1 >= calls) return
  const change = Atomics.waitAsync(board, REST, word, ms)
  // A change that is awaited this way does not keep the process running; a timer does.
  const timer = setTimeout(() => undefined, ms)
  if (change.async) await change.value
  clearTimeout(timer)
}

/** Host: call number `offer` is on its way. */
export function offerCall(board: Board, offer: number): void {
  Atomics.store(board, OFFER, offer << OFFER_BITS)
}

/** Worker: begins with a call; false when it was taken back. */
export function takeOffer(board: Board, offer: number): boolean {
  return closeOffer(board, offer, TAKEN)
}

/** Host: takes a call back; false when the worker has begun with it. */
export function withdrawOffer(board: Board, offer: number): boolean {
  return closeOffer(board, offer, WITHDRAWN)
}

function closeOffer(board: Board, offer: number, how: number): boolean {
  const open = offer << OFFER_BITS
  return Atomics.compareExchange(board, OFFER, open, open | how) === open
}

/** Host: one more message has been heard. */
export function noteHeard(board: Board): void {
  Atomics.add(board, HEARD, 1)
  Atomics.notify(board, HEARD)
}

/**
 * Worker: stops its thread until the host has heard enough of the `sent` messages. A tool that talks
 * faster than the host listens is slowed down instead of filling the turns of the host's loop.
 */
export function awaitHearing(board: Board, sent: number): void {
  for (;;) {
    const heard = Atomics.load(board, HEARD)
    if (((sent - heard) | 0) < WINDOW) return
    Atomics.wait(board, HEARD, heard)
  }
}
