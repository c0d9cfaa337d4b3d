import type { ShellWord } from './shell-word.ts'
import { restOf, startOf, textOf } from './shell-word.ts'

/** Which flags of a command take a value. */
export interface OptionSpec {
  /** Letters whose value is attached or the next word. */
  readonly values?: string
  /** Letters with an optional attached value. */
  readonly attached?: string
  /** Long names, without dashes, whose value is attached by `=` or the next word. */
  readonly long?: readonly string[]
  /** One dash begins a long name. */
  readonly single?: boolean
  /** The first operand ends the options. */
  readonly stops?: boolean
}

export interface Flag {
  /** `-x` or `--name`. */
  readonly name: string
  readonly value: ShellWord | undefined
  readonly word: ShellWord
}

export interface ParsedArgs {
  readonly flags: readonly Flag[]
  readonly operands: readonly ShellWord[]
}

/** Splits the words after a command's name into flags and operands. */
export function parseArgs(words: readonly ShellWord[], spec: OptionSpec): ParsedArgs {
  const flags: Flag[] = []
  const operands: ShellWord[] = []
  const queue = [...words]
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    const start = startOf(word)
    if (textOf(word) === '--') {
      operands.push(...queue)
      break
    }
    if (!start.startsWith('-') || start === '-' || word.isPipe) {
      operands.push(word)
      if (!spec.stops) continue
      operands.push(...queue)
      break
    }
    const long = start.startsWith('--') || spec.single === true
    flags.push(...(long ? longFlag(word, queue, spec) : cluster(word, queue, spec)))
  }
  return { flags, operands }
}

/** Whether a flag is one of several; long names also by a prefix of at least two letters. */
export function isFlag(flag: Flag, ...names: readonly string[]): boolean {
  return names.some(
    (name) =>
      flag.name === name ||
      (name.startsWith('--') && flag.name.length > 3 && name.startsWith(flag.name)),
  )
}

export function hasFlag(args: ParsedArgs, ...names: readonly string[]): boolean {
  return args.flags.some((flag) => isFlag(flag, ...names))
}

/** The values of all flags of some names. */
export function valuesOf(args: ParsedArgs, ...names: readonly string[]): readonly ShellWord[] {
  return args.flags.flatMap((flag) =>
    flag.value !== undefined && isFlag(flag, ...names) ? [flag.value] : [],
  )
}

function longFlag(word: ShellWord, queue: ShellWord[], spec: OptionSpec): readonly Flag[] {
  const start = startOf(word)
  const equals = start.indexOf('=')
  if (equals > 0) return [{ name: start.slice(0, equals), value: restOf(word, equals + 1), word }]
  const bare = start.replace(/^--?/, '')
  const takes = spec.long?.some(
    (name) => name === bare || (bare.length > 2 && name.startsWith(bare)),
  )
  return [{ name: start, value: takes === true ? queue.shift() : undefined, word }]
}

function cluster(word: ShellWord, queue: ShellWord[], spec: OptionSpec): readonly Flag[] {
  const start = startOf(word)
  const flags: Flag[] = []
  for (let at = 1; at < start.length; at += 1) {
    const letter = start[at] ?? ''
    const name = `-${letter}`
    const more = start.length > at + 1 || word.atoms.length > 1
    if (spec.values?.includes(letter) === true) {
      flags.push({ name, value: more ? restOf(word, at + 1) : queue.shift(), word })
      return flags
    }
    if (spec.attached?.includes(letter) === true) {
      flags.push({ name, value: more ? restOf(word, at + 1) : undefined, word })
      return flags
    }
    flags.push({ name, value: undefined, word })
  }
  // What follows the known letters of `-$X` can be anything.
  return flags.length === 0 ? [{ name: '-', value: word, word }] : flags
}
