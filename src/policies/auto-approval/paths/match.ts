import { foldName } from '../../../sandbox/fold-name.ts'
import type { Atom, OpenAtom, Reading, Segment } from './atoms.ts'

/** A listed name: plain text, or text with one `*` in front or behind or in the middle. */
export type NamePattern = readonly (string | OpenAtom)[]

/** Whether some name satisfies both. `name` is folded already. */
export function couldBe(segment: Segment, name: string): boolean {
  if (typeof segment === 'string') return segment === name || foldName(segment) === name
  return !isUnknown(segment) && couldMatch(segment, [name])
}

/** Whether some name satisfies both patterns. A name of which nothing is known satisfies none. */
export function couldMatch(segment: Segment, pattern: NamePattern): boolean {
  if (typeof segment !== 'string' && isUnknown(segment)) return false
  return intersects(toTokens(typeof segment === 'string' ? [segment] : segment), toTokens(pattern))
}

/** Nothing but a value that is not known. */
export function isUnknown(segment: Segment): boolean {
  if (typeof segment === 'string') return false
  return segment.every((atom) => typeof atom !== 'string' && atom.kind === 'unknown')
}

type Token = string | OpenAtom

function toTokens(atoms: readonly Atom[]): readonly Token[] {
  const tokens: Token[] = []
  for (const atom of atoms) {
    if (typeof atom === 'string') {
      tokens.push(...Array.from(foldName(atom)))
      continue
    }
    const last = tokens.at(-1)
    const repeated = isRun(atom) && last !== undefined && isRun(last)
    if (!repeated) tokens.push(atom)
    else if (atom.kind !== 'star') tokens[tokens.length - 1] = atom
  }
  return tokens
}

function intersects(left: readonly Token[], right: readonly Token[]): boolean {
  // Most names differ at an end, and most calls compare many of them.
  if (differ(left[0], right[0]) || differ(left.at(-1), right.at(-1))) return false
  // Rows of the usual table: which suffixes of `right` can still be met from here.
  let next = makeRow(right.length)
  for (let i = left.length; i >= 0; i -= 1) {
    const row = makeRow(right.length)
    for (let j = right.length; j >= 0; j -= 1) row[j] = cell(left, right, { i, j, row, next })
    next = row
  }
  return next[0] === true
}

function makeRow(length: number): boolean[] {
  return Array.from<boolean>({ length: length + 1 }).fill(false)
}

function differ(a: Token | undefined, b: Token | undefined): boolean {
  return typeof a === 'string' && typeof b === 'string' && a !== b
}

interface Position {
  readonly i: number
  readonly j: number
  readonly row: readonly boolean[]
  readonly next: readonly boolean[]
}

function cell(left: readonly Token[], right: readonly Token[], at: Position): boolean {
  const { i, j, row, next } = at
  const a = left[i]
  const b = right[j]
  if (a === undefined && b === undefined) return true
  if (a !== undefined && isRun(a) && next[j] === true) return true
  if (b !== undefined && isRun(b) && row[j + 1] === true) return true
  if (a === undefined || b === undefined) return false
  if (isRun(a)) {
    // Shells do not let a leading star stand for a leading dot.
    if (i === 0 && j === 0 && b === '.' && typeof a !== 'string' && a.kind === 'star') return false
    return row[j + 1] === true
  }
  if (isRun(b)) return next[j] === true
  return next[j + 1] === true && sharesCharacter(a, b)
}

function sharesCharacter(a: Token, b: Token): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b
  if (typeof a === 'string') return accepts(b, a)
  if (typeof b === 'string') return accepts(a, b)
  return true
}

function accepts(token: Token, character: string): boolean {
  if (typeof token === 'string' || token.kind !== 'one') return true
  return token.accepts === undefined || token.accepts(character)
}

function isRun(token: Token): boolean {
  return typeof token !== 'string' && token.kind !== 'one'
}

/** A name pattern from text with `*`, as the lists of names are written. */
export function toNamePattern(text: string): NamePattern {
  const pieces = text.split('*')
  return pieces.flatMap((piece, index): Reading =>
    index === 0 ? [piece] : [{ kind: 'any' }, piece],
  )
}
