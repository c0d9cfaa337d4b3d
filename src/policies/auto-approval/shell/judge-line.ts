import type { Command, ParsedScript } from 'unbash'
import type { Reading } from '../paths/atoms.ts'
import { joinAtoms } from '../paths/atoms.ts'
import type { Findings } from '../assessment/findings.ts'
import type { Ground } from '../paths/ground.ts'
import type { CanonicalSegment } from '../types.ts'
import { variantsOf } from './alternatives.ts'
import { hasDeferredText } from './deferred-text.ts'
import { baseName } from './effective.ts'
import { judgeEvents } from './events.ts'
import { isSecretVariable } from './environment.ts'
import { eitherFolder, folderAfter } from './folders.ts'
import { judgeWords } from './judge-words.ts'
import type { Context, Folders, Line } from './line.ts'
import { addCode, MAX_NESTING, MAX_VARIANTS, MAX_WORDS } from './line.ts'
import type { ShellParser } from './read-line.ts'
import { readLine } from './read-line.ts'
import type { ShellWord } from './shell-word.ts'
import { startOf, textOf } from './shell-word.ts'
import type { Variables } from './variables.ts'
import { collectVariables, expandedNames, MAX_GIVEN } from './variables.ts'
import { walkStatements, walkSubstitutions } from './walk.ts'
import type { Scope } from './words.ts'
import { toAssignmentWord, toShellWords } from './words.ts'

export interface LineRequest {
  readonly text: string
  readonly folder: string
  readonly ground: Ground
  readonly findings: Findings
  readonly parser: ShellParser
  readonly confined: boolean
  /** Variables that the call itself sets; their usual values no longer hold. */
  readonly assigned: ReadonlySet<string>
}

export interface LineVerdict {
  readonly parsed: boolean
  readonly segments: readonly CanonicalSegment[]
  readonly urls: readonly string[]
  /** What the exemption for own files needs to know. */
  readonly line: Line
  /** The folder that it began in. */
  readonly folder: string
}

/** Judges a shell line; every reason goes to the findings. */
export function judgeLine(request: LineRequest): LineVerdict {
  const { text, ground, findings, parser, confined } = request
  const line: Line = {
    ...{ ground, findings, parser, confined },
    ...{ segments: [], events: [], kinds: [], urls: [], counter: 0, operands: 0, variants: 0 },
    deletions: { paths: [], spoiled: false },
  }
  const script = readLine(text, parser)
  if (script === undefined) {
    addCode(line, 'UNPARSABLE')
    return { parsed: false, segments: [], urls: [], line, folder: request.folder }
  }
  noteWholeText(script, line)
  const variables = collectVariables(script)
  noteTooMany(variables, line)
  for (const name of request.assigned)
    variables.set(name, [...(variables.get(name) ?? []), { value: undefined, append: false }])
  const place = { folders: { paths: [request.folder], unknown: false } }
  const context: Context = {
    ...{ line, place, depth: 0, pipes: [], inside: [], loops: [], deferred: false },
    stdin: { kind: 'inherited' },
    scope: { variables, loops: new Map(), positional: undefined, known: knownIn(place, ground) },
  }
  walkStatements(script.commands, context, judgeCommand)
  judgeEvents(line)
  if (findings.reasons().length === 0) addCode(line, 'TEXT_ONLY')
  return { parsed: true, segments: line.segments, urls: line.urls, line, folder: request.folder }
}

function judgeCommand(node: Command, context: Context): void {
  const command = context.line.counter
  walkSubstitutions(node, { ...context, inside: [...context.inside, command] }, judgeCommand)
  const words = wordsOf(node, context.scope).slice(0, MAX_WORDS)
  if (words.length === MAX_WORDS) addCode(context.line, 'UNPARSABLE')
  judgeWords({ node, words, context, command, nest, main: true })
  const variants = affordable(variantsOf(words), context.line)
  for (const variant of variants)
    judgeWords({ node, words: variant, context, command, nest, main: false })
  moveFolders([words, ...variants], context)
}

// Readings beyond what is looked at are not guessed.
function affordable<T>(variants: readonly T[], line: Line): readonly T[] {
  line.variants += variants.length
  if (line.variants <= MAX_VARIANTS) return variants
  addCode(line, 'UNPARSABLE')
  return []
}

function noteTooMany(variables: Variables, line: Line): void {
  for (const values of variables.values())
    if (values.length > MAX_GIVEN) return addCode(line, 'UNPARSABLE')
}

function wordsOf(node: Command, scope: Scope): readonly ShellWord[] {
  const name = node.name === undefined ? [] : toShellWords(node.name, scope)
  return [
    ...name,
    ...node.args.flatMap((word) =>
      word.type === 'Word' ? toShellWords(word, scope) : [toAssignmentWord(word, scope)],
    ),
  ]
}

const MOVERS: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd'])

// Every reading starts where the command starts, and any of them can be the one.
function moveFolders(readings: readonly (readonly ShellWord[])[], context: Context): void {
  const moved = readings.map((words) => foldersAfter(words, context))
  const ends = moved.filter((folders) => folders !== undefined)
  const [first, ...rest] = ends
  if (first === undefined) return
  const stays = ends.length < moved.length
  const { place } = context
  place.folders = rest.reduce(eitherFolder, stays ? eitherFolder(place.folders, first) : first)
}

function foldersAfter(words: readonly ShellWord[], context: Context): Folders | undefined {
  const skipped = words.findIndex((word) => !['builtin', 'command'].includes(textOf(word) ?? ''))
  const [first, ...rest] = skipped < 0 ? [] : words.slice(skipped)
  const name = baseName(first)
  if (name === undefined || !MOVERS.has(name)) return undefined
  const { place, line } = context
  const target = rest.find((word) => !startOf(word).startsWith('-') || textOf(word) === '-')
  if (name === 'popd' || (name === 'pushd' && target === undefined))
    return { paths: [], unknown: true }
  return folderAfter(target, place.folders, line.ground)
}

function nest(
  context: Context,
  text: ShellWord,
  positional: readonly ShellWord[] | undefined,
): void {
  const { line } = context
  if (context.depth >= MAX_NESTING) return addCode(line, 'UNPARSABLE')
  const literal = textOf(text)
  if (literal === undefined || text.expanded) addCode(line, 'HIDDEN_SOURCE')
  const args = positional?.map((word) => word.atoms)
  if (literal !== undefined) nestText(context, literal, { args, must: true })
  else nestText(context, withGaps(text.atoms), { args, must: false })
  for (const reading of text.alternatives)
    nestText(context, withGaps(reading), { args, must: false })
}

interface Nested {
  readonly args: readonly Reading[] | undefined
  /** A text that cannot be read makes the line unreadable. */
  readonly must: boolean
}

function nestText(context: Context, text: string, { args, must }: Nested): void {
  const { line, scope } = context
  const script = readLine(text, line.parser)
  if (script === undefined) {
    if (must && text.trim() !== '') addCode(line, 'UNPARSABLE')
    return
  }
  noteWholeText(script, line)
  const variables = collectVariables(script, scope.variables)
  noteTooMany(variables, line)
  const inner = { ...scope, variables, positional: args }
  const before = context.place.folders
  walkStatements(
    script.commands,
    { ...context, scope: inner, depth: context.depth + 1 },
    judgeCommand,
  )
  context.place.folders = eitherFolder(before, context.place.folders)
}

// What is not known becomes a variable that nobody sets.
function withGaps(reading: Reading): string {
  return joinAtoms(reading)
    .map((atom) => {
      if (typeof atom === 'string') return atom
      if (atom.kind === 'star') return '*'
      return atom.kind === 'one' ? '?' : '$caisson_gap'
    })
    .join('')
}

// What holds for a text as a whole, wherever in it.
function noteWholeText(script: ParsedScript, line: Line): void {
  if (expandedNames(script).some(isSecretVariable)) addCode(line, 'SECRET_VAR')
  if (hasDeferredText(script)) addCode(line, 'HIDDEN_SOURCE')
}

function knownIn(place: Context['place'], ground: Ground): Scope['known'] {
  return (name) => {
    switch (name) {
      case 'HOME':
        return [[ground.home]]
      case 'CAISSON_HOME':
        return [[ground.stateDir]]
      case 'TMPDIR':
        return ground.tempRoot === undefined ? undefined : [[ground.tempRoot]]
      case 'PWD':
        return place.folders.unknown ? undefined : place.folders.paths.map((path) => [path])
      default:
        return undefined
    }
  }
}
