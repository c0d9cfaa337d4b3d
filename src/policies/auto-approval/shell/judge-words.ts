import type { Command } from 'unbash'
import { foldName } from '../../../sandbox/fold-name.ts'
import { isHookVariable } from './environment.ts'
import type { Effective } from './effective.ts'
import { baseName, toEffective } from './effective.ts'
import { familyOf, isListed } from './families/index.ts'
import { judgeProgramFile } from './families/programs.ts'
import { folderAfter } from './folders.ts'
import type { Context } from './line.ts'
import { judgeRedirects, redirectFacts, stdinOf } from './redirects.ts'
import type { Nest, Segment } from './segment.ts'
import { createSegment } from './segment.ts'
import type { ShellWord } from './shell-word.ts'
import { isOpen, startOf, textOf } from './shell-word.ts'

export interface WordsRequest {
  readonly node: Command
  readonly words: readonly ShellWord[]
  readonly context: Context
  readonly command: number
  readonly nest: Nest
  /** False for a further reading of the same command. */
  readonly main: boolean
}

const TRUSTED_FOLDERS: ReadonlySet<string> = new Set([
  ...['/bin', '/usr/bin', '/sbin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'],
])

/** Judges one command in one reading of its words. */
export function judgeWords(request: WordsRequest): void {
  const { node, words, command, nest, main } = request
  const effective = toEffective(words, fedWords(request.context.stdin))
  const outer: Context = { ...request.context, stdin: stdinOf(node.redirects, request.context) }
  const context = inFolder(effective, outer)
  const name = baseName(effective.words[0])
  const args = effective.words.slice(1)
  const redirects = redirectFacts(node.redirects, context.scope)
  const segment = createSegment({
    ...{ name: name ?? '', args, context, command, nest, redirects },
    run: (inner) => judgeWords({ ...request, context, words: inner, main: false }),
  })
  judgePrefix(node, effective, segment)
  judgeRedirects(node.redirects, segment)
  judgeEffective(effective, segment, name)
  if (main) record(effective, name, segment)
}

// What a pipe is known to bring becomes operands behind `xargs`.
function fedWords(stdin: Context['stdin']): readonly string[] {
  const text = stdin.kind === 'pipe' ? textOf(stdin.text) : undefined
  return text === undefined
    ? []
    : text
        .split(/\s+/)
        .filter((word) => word !== '')
        .slice(0, 16)
}

function inFolder(effective: Effective, context: Context): Context {
  const { folder } = effective
  if (folder === undefined) return context
  const folders = folderAfter(folder, context.place.folders, context.line.ground)
  return { ...context, place: { folders } }
}

// Assignments, wrappers and the texts that wrappers run.
function judgePrefix(node: Command, effective: Effective, segment: Segment): void {
  const names = node.prefix.flatMap((item) => (item.type === 'Assignment' ? [item.name] : []))
  const given = effective.assignments.map((word) => startOf(word).split(/\+?=/)[0] ?? '')
  if ([...names, ...given].some(isHookVariable)) segment.add('ENV_HOOK')
  for (const word of effective.wrapperWords)
    if (isProgramFile(word)) judgeProgramFile(word, segment)
  if (effective.tooDeep) segment.add('HIDDEN_SOURCE')
  segment.paths(effective.writes, 'write')
  segment.paths(effective.reads, 'read')
  if (effective.folder !== undefined) segment.path(effective.folder, 'meta')
  for (const text of effective.texts) {
    segment.add('INLINE_SOURCE')
    segment.nest(text)
  }
}

function judgeEffective(effective: Effective, segment: Segment, name: string | undefined): void {
  const [first] = effective.words
  if (effective.isQuestion) return settleAs(segment, 'text')
  if (first === undefined) return judgeBareWrapper(effective, segment)
  if (first.expanded || isOpen(first)) segment.add('DYNAMIC_COMMAND')
  if (name === undefined || name === '') {
    segment.mark('other')
    if (name === '') segment.add('DYNAMIC_COMMAND')
    return segment.paths(segment.args, 'unknown')
  }
  const own = isProgramFile(first)
  if (own) judgeProgramFile(first, segment)
  if (own && !isListed(name)) segment.paths(segment.args, 'unknown')
  else familyOf(name)(segment)
}

// A name with a slash is the listed command only where systems keep theirs.
function isProgramFile(word: ShellWord): boolean {
  const text = textOf(word) ?? ''
  return text.includes('/') && !TRUSTED_FOLDERS.has(text.slice(0, text.lastIndexOf('/')))
}

// A wrapper without a command prints the environment, starts a shell, reads commands, or does nothing.
function judgeBareWrapper(effective: Effective, segment: Segment): void {
  const last = effective.wrappers.at(-1)
  if (last === undefined || effective.texts.length > 0) return segment.mark('text')
  if (last === 'env') {
    segment.mark('other')
    segment.add('ENV_DUMP')
    return segment.event('dump')
  }
  if (last === 'script' || last === 'parallel' || last === 'coproc') segment.add('HIDDEN_SOURCE')
  settleAs(segment, 'text')
}

function settleAs(segment: Segment, kind: 'text'): void {
  segment.mark(kind)
  segment.settle('TEXT_ONLY')
}

function record(effective: Effective, name: string | undefined, segment: Segment): void {
  const { words } = effective
  const texts = words.map((word) =>
    word.atoms.map((atom) => (typeof atom === 'string' ? atom : '$?')).join(''),
  )
  segment.context.line.segments.push({
    text: texts.join(' '),
    command: name === undefined ? undefined : foldName(name),
    words: texts,
    codes: [...segment.codes],
    dynamic: words.some((word) => word.expanded || isOpen(word)),
  })
}
