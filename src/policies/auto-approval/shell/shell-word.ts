import type { Reading } from '../paths/atoms.ts'
import {
  hasUnknown,
  joinAtoms,
  leadingText,
  literalOf,
  UNKNOWN,
  withoutStart,
} from '../paths/atoms.ts'

/** One word of a command after quote removal. */
export interface ShellWord {
  readonly atoms: Reading
  /** Further values it can have; they are judged too, and can only tighten. */
  readonly alternatives: readonly Reading[]
  /** An expansion takes part, so the name of a command would not be known by reading. */
  readonly expanded: boolean
  /** Outside quotes an expansion can become several words. */
  readonly splits: boolean
  /** Spelled with a variable that stands for a home folder. */
  readonly viaHome: boolean
  /** A process substitution and nothing else: a pipe, not a path. */
  readonly isPipe: boolean
}

export function textWord(text: string): ShellWord {
  return atomsWord([text])
}

export function atomsWord(atoms: Reading): ShellWord {
  return {
    atoms,
    alternatives: [],
    expanded: false,
    splits: false,
    viaHome: false,
    isPipe: false,
  }
}

/** An operand that comes from somewhere else. */
export const UNKNOWN_WORD: ShellWord = { ...atomsWord([UNKNOWN]), expanded: true, splits: true }

/** The whole text when nothing is open, else undefined. */
export function textOf(word: ShellWord | undefined): string | undefined {
  return word === undefined || word.isPipe ? undefined : literalOf(word.atoms)
}

export function startOf(word: ShellWord): string {
  return leadingText(word.atoms)
}

export function isDynamic(word: ShellWord): boolean {
  return hasUnknown(word.atoms)
}

/** Not literal: a value that is not known, or a glob. */
export function isOpen(word: ShellWord): boolean {
  return literalOf(word.atoms) === undefined
}

/** The rest of a word after characters that are text. */
export function restOf(word: ShellWord, count: number): ShellWord {
  return { ...word, atoms: withoutStart(word.atoms, count), alternatives: [] }
}

/** Text pieces only; what is not known leaves a gap. */
export function knownText(word: ShellWord): string {
  return word.atoms
    .map((atom) => {
      if (typeof atom === 'string') return atom
      return atom.kind === 'one' && atom.text !== undefined ? atom.text : '\u0000'
    })
    .join('')
}

/** Several words as one text with spaces between, as `eval` and `watch` join theirs. */
export function joinWords(words: readonly ShellWord[]): ShellWord {
  const atoms = words.flatMap((word, index): Reading =>
    index === 0 ? word.atoms : [' ', ...word.atoms],
  )
  return { ...atomsWord(joinAtoms(atoms)), expanded: words.some((word) => word.expanded) }
}
