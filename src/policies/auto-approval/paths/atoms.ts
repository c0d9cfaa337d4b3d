/** A piece of a word that is not literal text. */
export type OpenAtom =
  /** `*`: any text without a slash; at the start of a name not a dot. */
  | { readonly kind: 'star' }
  /** `?` or a bracket: one character; `accepts` says which. */
  | {
      readonly kind: 'one'
      readonly accepts?: (character: string) => boolean
      /** As it is spelled, for programs that take it literally when nothing matches. */
      readonly text?: string
    }
  /** An extended glob: any text without a slash, a leading dot too. */
  | { readonly kind: 'any' }
  /** A value that nobody knows beforehand. */
  | { readonly kind: 'unknown' }

export type Atom = string | OpenAtom

/** What a word can be: text and open pieces in order. */
export type Reading = readonly Atom[]

/** One name of a path: text, or the pieces of a pattern. */
export type Segment = string | Reading

export const STAR: OpenAtom = { kind: 'star' }
export const ANY: OpenAtom = { kind: 'any' }
export const ONE: OpenAtom = { kind: 'one' }
export const UNKNOWN: OpenAtom = { kind: 'unknown' }

/** The text of a reading without open pieces, else undefined. */
export function literalOf(reading: Reading): string | undefined {
  if (reading.length === 1) return typeof reading[0] === 'string' ? reading[0] : undefined
  return reading.every((atom) => typeof atom === 'string') ? reading.join('') : undefined
}

/** Neighbouring texts as one; a reading of nothing is the empty text. */
export function joinAtoms(atoms: Reading): Reading {
  const joined: Atom[] = []
  for (const atom of atoms) {
    const last = joined.at(-1)
    if (typeof atom === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + atom
    else if (atom !== '') joined.push(atom)
  }
  return joined.length === 0 ? [''] : joined
}

/** The text before the first open piece. */
export function leadingText(reading: Reading): string {
  const first = reading[0]
  return typeof first === 'string' ? first : ''
}

export function hasUnknown(reading: Reading): boolean {
  return reading.some((atom) => typeof atom !== 'string' && atom.kind === 'unknown')
}

/** The reading without its first characters, all of which must be text. */
export function withoutStart(reading: Reading, count: number): Reading {
  return joinAtoms([leadingText(reading).slice(count), ...reading.slice(1)])
}

/** Unquoted text in which glob characters are patterns, as a shell reads the value of a variable. */
export function toGlobAtoms(text: string): Reading {
  const atoms: Atom[] = []
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    const close = character === '[' ? text.indexOf(']', at + 2) : -1
    const end = close > 0 ? close + 1 : at + 1
    const atom = character === '[' && close < 0 ? undefined : globAtom(text.slice(at, end))
    if (atom === undefined) continue
    atoms.push(text.slice(from, at), atom)
    from = end
    at = end - 1
  }
  return joinAtoms([...atoms, text.slice(from)])
}

function globAtom(text: string): OpenAtom | undefined {
  if (text === '*') return STAR
  if (text === '?') return ONE
  return text.startsWith('[') ? bracketAtom(text) : undefined
}

/** A bracket expression. Classes and ranges that cannot be told accept everything. */
export function bracketAtom(text: string): OpenAtom {
  const inner = text.slice(1, -1)
  if (inner.includes('[') || inner.includes('\\')) return { kind: 'one', text }
  const negated = inner.startsWith('!') || inner.startsWith('^')
  const body = Array.from(negated ? inner.slice(1) : inner)
  const accepts = (character: string): boolean =>
    [character, character.toUpperCase()].some((form) => isIn(body, form) !== negated)
  return { kind: 'one', accepts, text }
}

function isIn(body: readonly string[], character: string): boolean {
  return body.some((from, index) => {
    const to = body[index + 2]
    if (body[index + 1] === '-' && to !== undefined) return from <= character && character <= to
    return from === character
  })
}
