import type { Random } from './random.ts'
import type { LoadSpec } from './spec.ts'

/** When calls are meant to start. */
export interface Arrivals {
  /** Milliseconds from the beginning, never falling; undefined when there is none any more. */
  next(): number | undefined
}

type ArrivalSpec = Pick<LoadSpec, 'level' | 'stages' | 'durationMs' | 'requests' | 'arrivals'>

/** A stretch of time in which the rate moves in a straight line. Rates are per millisecond. */
interface Piece {
  readonly from: number
  readonly ms: number
  readonly rate: number
  readonly slope: number
  /** Arrivals before it, and in it. */
  readonly before: number
  readonly count: number
}

const EPSILON = 1e-6

/**
 * Creates the schedule of an open load. The n-th arrival is where the rate, summed up since the
 * beginning, reaches n (`constant`), or the sum of n draws of mean 1 (`poisson`).
 */
export function createArrivals(spec: ArrivalSpec, random: Random): Arrivals {
  const pieces = toPieces(spec)
  const { durationMs = Infinity, requests = Infinity } = spec
  const isPoisson = spec.arrivals === 'poisson'
  let made = 0
  let sum = isPoisson ? draw(random) : 0
  let at = 0
  return {
    next() {
      if (made >= requests) return undefined
      let piece = pieces[at]
      while (piece !== undefined && sum >= piece.before + piece.count - EPSILON) {
        at += 1
        piece = pieces[at]
      }
      if (piece === undefined) return undefined
      const time = piece.from + timeWithin(piece, sum - piece.before)
      if (time >= durationMs) return undefined
      made += 1
      sum += isPoisson ? draw(random) : 1
      return time
    },
  }
}

function draw(random: Random): number {
  return -Math.log(1 - random())
}

function toPieces({ level, stages, durationMs = Infinity }: ArrivalSpec): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  let before = 0
  let rate = level / 1_000
  const add = (ms: number, target: number): void => {
    const count = ms === Infinity ? Infinity : ((rate + target) / 2) * ms
    pieces.push({
      from,
      ms,
      rate,
      slope: ms === Infinity ? 0 : (target - rate) / ms,
      before,
      count,
    })
    from += ms
    before += count
    rate = target
  }
  for (const { ms, target } of stages) add(ms, target / 1_000)
  if (durationMs > from && rate > 0) add(durationMs - from, rate)
  return pieces
}

// Solves rate·t + slope·t²/2 = count for t, in the form that loses no digits for a small slope.
function timeWithin({ rate, slope }: Piece, count: number): number {
  if (count <= 0) return 0
  return (2 * count) / (rate + Math.sqrt(Math.max(0, rate * rate + 2 * slope * count)))
}
