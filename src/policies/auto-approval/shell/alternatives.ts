import type { Reading } from '../paths/atoms.ts'
import { literalOf } from '../paths/atoms.ts'
import type { ShellWord } from './shell-word.ts'

const MAX_VARIANTS = 64
/** Words in which the name of a command can stand, wrappers included. */
const NAME_WORDS = 3

/** The other ways to read a command: every combination of the values its words can have. */
export function variantsOf(all: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const words = all.map((word, index) => (index < NAME_WORDS ? withoutGaps(word) : word))
  const open = words.flatMap((word, index) => (word.alternatives.length > 0 ? [index] : []))
  if (open.length === 0) return []
  const product = open.reduce((count, at) => count * (optionsOf(words, at).length + 1), 1)
  if (product <= MAX_VARIANTS) return combine(words, open).slice(1)
  // Too many for every combination: each value once.
  return open
    .flatMap((at) => optionsOf(words, at).map((option) => replace(words, at, option)))
    .slice(0, MAX_VARIANTS)
}

// What is not known can be nothing: `su${x}do` is `sudo` then.
function withoutGaps(word: ShellWord): ShellWord {
  const rest = word.atoms.filter((atom) => typeof atom === 'string' || atom.kind !== 'unknown')
  const text = literalOf(rest)
  if (rest.length === word.atoms.length || text === undefined || text === '') return word
  return { ...word, alternatives: [...word.alternatives, [text]] }
}

function combine(
  words: readonly ShellWord[],
  open: readonly number[],
): readonly (readonly ShellWord[])[] {
  let variants: readonly (readonly ShellWord[])[] = [[]]
  for (const [index, word] of words.entries()) {
    const options = open.includes(index) ? [[word], ...optionsOf(words, index)] : [[word]]
    variants = options.flatMap((option) => variants.map((head) => [...head, ...option]))
  }
  return variants
}

function optionsOf(words: readonly ShellWord[], at: number): readonly (readonly ShellWord[])[] {
  const word = words[at]
  return word === undefined ? [] : word.alternatives.map((reading) => toWords(word, reading))
}

function replace(
  words: readonly ShellWord[],
  at: number,
  option: readonly ShellWord[],
): readonly ShellWord[] {
  return [...words.slice(0, at), ...option, ...words.slice(at + 1)]
}

// Outside quotes a value with blanks becomes several words.
function toWords(word: ShellWord, reading: Reading): readonly ShellWord[] {
  const text = literalOf(reading)
  const single = { ...word, alternatives: [] }
  if (!word.splits || text === undefined || !/\s/.test(text)) return [{ ...single, atoms: reading }]
  return text
    .split(/\s+/)
    .filter((piece) => piece !== '')
    .map((piece) => ({ ...single, atoms: [piece] }))
}
