import type { ArrayValue, Assignment, ParameterExpansionPart, Word, WordPart } from 'unbash'
import { parse } from 'unbash'
import type { Atom, Reading } from '../paths/atoms.ts'
import { ANY, bracketAtom, joinAtoms, ONE, STAR, toGlobAtoms, UNKNOWN } from '../paths/atoms.ts'
import { expandBraces } from './braces.ts'
import { printedText } from './printed-text.ts'
import type { ShellWord } from './shell-word.ts'
import { atomsWord } from './shell-word.ts'
import type { Variables } from './variables.ts'

/** What words can mean at one place of a line. */
export interface Scope {
  readonly variables: Variables
  /** Values of loop variables; undefined entries are not known. */
  readonly loops: ReadonlyMap<string, readonly Reading[]>
  /** `$0`, `$1`, … of nested text; undefined when they are not known. */
  readonly positional: readonly Reading[] | undefined
  /** Values of variables that are known without looking. */
  readonly known: (name: string) => readonly Reading[] | undefined
}

const MAX_READINGS = 64
const MAX_DEPTH = 4
const HOME_NAMES: ReadonlySet<string> = new Set(['HOME', 'CAISSON_HOME', 'USERPROFILE'])

/** The words that one word of the tree stands for; brace lists give several. */
export function toShellWords(word: Word, scope: Scope): readonly ShellWord[] {
  if (word.parts?.some((part) => part.type === 'BraceExpansion') !== true)
    return [toShellWord(word, scope)]
  const texts = expandBraces(word.text)
  if (texts === undefined) return [{ ...atomsWord([UNKNOWN]), expanded: true, splits: true }]
  return texts.flatMap((text) => reparse(text).map((found) => toShellWord(found, scope)))
}

/** One word; brace lists in it stay unknown. */
export function toShellWord(word: Word, scope: Scope): ShellWord {
  const value = evaluate(word, { scope, depth: 0, quoted: false })
  const parts = word.parts ?? []
  return {
    atoms: value.main,
    alternatives: value.others,
    expanded: parts.some(isExpansion),
    splits: parts.some((part) => SPLITTING.has(part.type)),
    viaHome: namesOf(parts).some((name) => HOME_NAMES.has(name)),
    isPipe: parts.length === 1 && parts[0]?.type === 'ProcessSubstitution',
  }
}

/** An assignment as the one word it is for commands that take it as an operand. */
export function toAssignmentWord(node: Assignment, scope: Scope): ShellWord {
  const name = `${node.name}${node.append === true ? '+' : ''}=`
  if (node.value.type !== 'Word') return atomsWord([name, UNKNOWN])
  const value = toShellWord(node.value, scope)
  return { ...value, atoms: joinAtoms([name, ...value.atoms]), alternatives: [] }
}

const SPLITTING: ReadonlySet<string> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
])

interface Value {
  readonly main: Reading
  readonly others: readonly Reading[]
}

interface Place {
  readonly scope: Scope
  readonly depth: number
  readonly quoted: boolean
}

const OPEN: Value = { main: [UNKNOWN], others: [] }

function evaluate(word: Word, place: Place): Value {
  if (word.parts === undefined) return withTilde(word.text, exactly(word.value), place)
  return withTilde(word.text, concatenate(word.parts, place), place)
}

function exactly(...atoms: readonly Atom[]): Value {
  return { main: joinAtoms(atoms), others: [] }
}

// Only an unquoted tilde at the very start stands for a folder.
function withTilde(text: string, value: Value, { scope }: Place): Value {
  if (!text.startsWith('~')) return value
  const [first, ...rest] = value.main
  if (typeof first !== 'string') return value
  const home = scope.known('HOME')?.[0] ?? [UNKNOWN]
  if (first === '~' || first.startsWith('~/'))
    return { main: joinAtoms([...home, first.slice(1), ...rest]), others: value.others }
  if (first === '~+' || first.startsWith('~+/')) {
    const folders = scope.known('PWD') ?? [[UNKNOWN]]
    const [main = [UNKNOWN], ...others] = folders.map((f) =>
      joinAtoms([...f, first.slice(2), ...rest]),
    )
    return { main, others }
  }
  return first === '~-' || first.startsWith('~-/') ? OPEN : value
}

function concatenate(parts: readonly WordPart[], place: Place): Value {
  let main: Reading = []
  let others: readonly Reading[] = []
  for (const part of parts) {
    const value = evaluatePart(part, place)
    const heads = [main, ...others]
    const added = value.others.flatMap((tail) => heads.map((head) => [...head, ...tail]))
    others = capped([...others.map((head) => [...head, ...value.main]), ...added])
    main = [...main, ...value.main]
  }
  return { main: joinAtoms(main), others: others.map(joinAtoms) }
}

function evaluatePart(part: WordPart, place: Place): Value {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return exactly(part.value)
    case 'DoubleQuoted':
    case 'LocaleString':
      return concatenate(part.parts, { ...place, quoted: true })
    case 'Glob':
      if (part.kind === 'bracket') return exactly(bracketOf(part.text, part.parts))
      return exactly(part.kind === 'star' ? STAR : ONE)
    case 'ExtendedGlob':
      return exactly(ANY)
    case 'SimpleExpansion':
      return expand(part.text.slice(1), place)
    case 'ParameterExpansion':
      return expandParameter(part, place)
    case 'CommandExpansion': {
      const printed = part.script === undefined ? undefined : printedText(part.script)
      if (printed === 'pwd') return fromKnown(place.scope.known('PWD'))
      const texts = printed === undefined ? [] : [[printed.text]]
      return { main: [UNKNOWN], others: texts }
    }
    case 'ProcessSubstitution':
      return exactly('/dev/fd/63')
    default:
      return OPEN
  }
}

function bracketOf(text: string, parts: readonly WordPart[]): Atom {
  return parts.every((part) => part.type === 'Literal') ? bracketAtom(text) : ONE
}

function expandParameter(part: ParameterExpansionPart, place: Place): Value {
  if (part.prefix !== undefined) return OPEN
  const plain = expand(part.parameter, place)
  const { operation } = part
  if (operation === undefined) return part.index === undefined ? plain : loosen(plain)
  if (operation.type !== 'Default') return loosen(plain)
  const fallback = evaluate(operation.operand, { ...place, depth: place.depth + 1 })
  return loosen(plain, [fallback.main, ...fallback.others])
}

// The value is one of several, or something made of one of them.
function loosen(value: Value, more: readonly Reading[] = []): Value {
  const known = [value.main, ...value.others, ...more].filter((reading) => !isUnknownOnly(reading))
  return { main: [UNKNOWN], others: capped(known) }
}

// What is left out can be anything.
function capped(readings: readonly Reading[]): readonly Reading[] {
  if (readings.length <= MAX_READINGS) return readings
  return [...readings.slice(0, MAX_READINGS - 1), [ANY]]
}

function expand(name: string, place: Place): Value {
  const { scope, depth, quoted } = place
  if (depth > MAX_DEPTH) return OPEN
  const positional = expandPositional(name, scope)
  if (positional !== undefined) return positional
  const items = scope.loops.get(name)
  const known = scope.known(name)
  const given = scope.variables.get(name)
  if (items !== undefined && given === undefined) return fromKnown(items)
  // Nobody sets it, so it is what it always is.
  if (given === undefined && name === 'IFS') return loosen(OPEN, [[' ']])
  if (given === undefined) return known === undefined ? OPEN : fromKnown(known)
  const readings = given.flatMap((one) => valuesOf(one.value, { ...place, depth: depth + 1 }))
  const joined = given.some((one) => one.append) ? [readings.flat()] : []
  const all = [...readings, ...joined, ...(known ?? []), ...(items ?? [])]
  const globbed = quoted ? all : all.flatMap(spread)
  return loosen(OPEN, globbed.map(joinAtoms))
}

function expandPositional(name: string, scope: Scope): Value | undefined {
  if (!/^[0-9@*]$/.test(name)) return undefined
  if (scope.positional === undefined) return OPEN
  if (name === '@' || name === '*') {
    const [, ...rest] = scope.positional
    return rest.length === 1 ? fromKnown(rest) : loosen(OPEN, rest)
  }
  const found = scope.positional[Number(name)]
  return found === undefined ? exactly('') : fromKnown([found])
}

function fromKnown(readings: readonly Reading[] | undefined): Value {
  if (readings === undefined) return OPEN
  const [main, ...others] = readings
  return main === undefined ? OPEN : { main, others: capped(others) }
}

function valuesOf(value: Word | ArrayValue | undefined, place: Place): readonly Reading[] {
  if (value === undefined) return []
  const words = value.type === 'Word' ? [value] : value.elements
  const found = words.map((word) => evaluate(word, { ...place, quoted: true }))
  const all = found.flatMap((one) => [one.main, ...one.others])
  const whole = value.type === 'Word' ? [] : [found.flatMap((one): Reading => [...one.main, ' '])]
  return [...all, ...whole]
}

// Unquoted, the value's glob characters are patterns.
function spread(reading: Reading): readonly Reading[] {
  const globbed = reading.flatMap((atom) => (typeof atom === 'string' ? toGlobAtoms(atom) : [atom]))
  return globbed.length === reading.length ? [reading] : [reading, joinAtoms(globbed)]
}

function isExpansion(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString')
    return part.parts.some(isExpansion)
  return SPLITTING.has(part.type) || part.type === 'ArithmeticExpansion'
}

function namesOf(parts: readonly WordPart[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return namesOf(part.parts)
    if (part.type === 'SimpleExpansion') return [part.text.slice(1)]
    return part.type === 'ParameterExpansion' ? [part.parameter] : []
  })
}

function isUnknownOnly(reading: Reading): boolean {
  return reading.every((atom) => typeof atom !== 'string' && atom.kind === 'unknown')
}

function reparse(text: string): readonly Word[] {
  const command = parse(`x ${text}`).commands[0]?.command
  if (command?.type !== 'Command') return []
  return command.args.filter((word) => word.type === 'Word')
}
