import { isSecretPath } from '../../../loader/secret-names.ts'
import type { Atom, Reading, Segment } from './atoms.ts'
import { hasUnknown, joinAtoms, leadingText, literalOf, UNKNOWN, withoutStart } from './atoms.ts'

/** Where a word points after textual normalising. */
export interface Place {
  /** Names from the root down; of a floating place only the known end. */
  readonly segments: readonly Segment[]
  /** Begins with something that is not known, so nobody can say where it lies. */
  readonly floating: boolean
  /** Some piece is not known. */
  readonly unknown: boolean
  /** Absolute path when everything is literal. */
  readonly literal: string | undefined
  /** Names before `..` was applied; undefined when there was none or they are not all literal. */
  readonly raw: readonly string[] | undefined
}

export interface PlaceBase {
  /** Undefined when the folder is not known. */
  readonly folder: string | undefined
  readonly home: string
}

/**
 * Makes a place of what a word can be; follows no link. Undefined when the text names no path that
 * this system could mean: control characters, another user's home, a drive, nothing at all.
 */
export function toPlace(reading: Reading, base: PlaceBase): Place | undefined {
  const anchored = anchor(reading, base)
  if (anchored === undefined || hasControl(reading)) return undefined
  const named = splitNames(anchored)
  const first = named[0]
  const floating = leadingText(anchored).startsWith('/') === false
  const { segments, climbed } = applyDots(
    floating && first !== undefined ? [...knownEnd(first), ...named.slice(1)] : named,
  )
  const literal = anchored.every((atom) => typeof atom === 'string')
  return {
    segments,
    floating,
    unknown: floating || hasUnknown(anchored),
    literal: literal && !floating ? `/${segments.filter(isText).join('/')}` : undefined,
    raw: climbed && literal && !floating ? named.filter(isText) : undefined,
  }
}

/** A literal path as a place. */
export function literalPlace(path: string): Place {
  const segments = path.split('/').filter((name) => name !== '')
  return { segments, floating: false, unknown: false, literal: path, raw: undefined }
}

// `$NAME.pem` ends like a key file, and `$NAME.env` can be `.env` itself.
function knownEnd(first: Segment): readonly Segment[] {
  if (typeof first === 'string') return []
  const [, ...rest] = first
  const text = literalOf(rest)
  if (rest.length === 0 || text === undefined) return []
  return [isSecretPath(text) ? text : `_${text}`]
}

// Absolute atoms, or atoms that begin with something unknown.
function anchor(reading: Reading, base: PlaceBase): Reading | undefined {
  const start = leadingText(reading)
  const literal = literalOf(reading)
  if (literal === '') return undefined
  if (/^file:/i.test(start)) return literal === undefined ? undefined : fromFileUrl(literal)
  if (start.startsWith('/')) return reading
  if (/^[A-Za-z]:[\\/]/.test(start) || start.startsWith('\\\\')) return undefined
  if (start === '~' || start.startsWith('~/')) return [base.home, ...withoutStart(reading, 1)]
  if (start.startsWith('~')) return undefined
  const first = reading[0]
  if (first !== undefined && typeof first !== 'string' && first.kind === 'unknown') return reading
  if (base.folder === undefined) return joinAtoms([UNKNOWN, '/', ...reading])
  return joinAtoms([`${base.folder}/`, ...reading])
}

function fromFileUrl(text: string): Reading | undefined {
  try {
    const path = decodeURIComponent(new URL(text).pathname)
    return hasControl([path]) ? undefined : [path]
  } catch {
    // Percent escapes that mean nothing name no file.
    return undefined
  }
}

function hasControl(reading: Reading): boolean {
  return reading.some((atom) => {
    if (typeof atom !== 'string') return false
    for (let at = 0; at < atom.length; at += 1) {
      const code = atom.charCodeAt(at)
      if (code < 32 || code === 127) return true
    }
    return false
  })
}

// Every name, `..` too. Of a floating word the first is what is not known.
function splitNames(reading: Reading): readonly Segment[] {
  if (reading.length === 1 && typeof reading[0] === 'string')
    return reading[0].split('/').filter((name) => name !== '' && name !== '.')
  const names: Segment[] = []
  let current: Atom[] = []
  const close = (): void => {
    const joined = joinAtoms(current)
    const text = literalOf(joined)
    if (text === undefined) names.push(joined)
    else if (text !== '' && text !== '.') names.push(text)
    current = []
  }
  for (const atom of reading) {
    if (typeof atom !== 'string') {
      current.push(atom)
      continue
    }
    for (const [index, piece] of atom.split('/').entries()) {
      if (index > 0) close()
      current.push(piece)
    }
  }
  close()
  return names
}

function applyDots(names: readonly Segment[]): {
  readonly segments: readonly Segment[]
  readonly climbed: boolean
} {
  const segments: Segment[] = []
  let climbed = false
  for (const name of names) {
    if (name === '..') {
      segments.pop()
      climbed = true
    } else segments.push(name)
  }
  return { segments, climbed }
}

/** Whether a name of a path is known as text. */
export function isText(segment: Segment): segment is string {
  return typeof segment === 'string'
}
