import { literalOf } from '../../paths/atoms.ts'
import { isRoutine } from '../../paths/judge.ts'
import { toPlace } from '../../paths/place.ts'
import type { OptionSpec, ParsedArgs } from '../options.ts'
import { hasFlag, parseArgs, valuesOf } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { restOf, startOf, textOf } from '../shell-word.ts'
import { judgeRecursion } from './recursion.ts'
import { judgeGone } from './remove.ts'

/** Commands that make, copy, move or change files. */
export const WRITER_FAMILIES: Families = {
  mkdir: (segment) => judgeMade(segment, { values: 'mZ', long: ['mode', 'context'] }),
  touch: judgeTouch,
  mkfifo: (segment) => judgeMade(segment, { values: 'm' }),
  truncate: (segment) => judgeMade(segment, { values: 'sr', long: ['size', 'reference'] }),
  tee: (segment) => judgeMade(segment, {}),
  patch: judgePatch,
  cp: judgeCopy,
  install: judgeCopy,
  mv: judgeMove,
  ln: judgeLink,
  ...Object.fromEntries(
    ['chmod', 'chown', 'chgrp', 'setfacl'].map((name) => [name, judgeAttributes]),
  ),
}

function judgeMade(segment: Segment, spec: OptionSpec): void {
  segment.mark('other')
  const args = parseArgs(segment.args, spec)
  segment.paths(valuesOf(args, '-r', '--reference'), 'meta')
  segment.paths(args.operands, 'write')
  if (segment.codes.size === 0) segment.settle('TEXT_ONLY')
}

function judgeTouch(segment: Segment): void {
  segment.mark('other')
  const args = parseArgs(segment.args, { values: 'drt', long: ['date', 'reference', 'time'] })
  segment.paths(valuesOf(args, '-r', '--reference'), 'meta')
  segment.paths(args.operands, 'write')
  if (segment.codes.size === 0) segment.settle('TEXT_ONLY')
}

function judgePatch(segment: Segment): void {
  segment.mark('other')
  const args = parseArgs(segment.args, {
    values: 'pidoBDFgrVYzZ',
    long: ['strip', 'input', 'directory', 'output', 'reject-file', 'prefix', 'fuzz'],
  })
  segment.paths(valuesOf(args, '-i', '--input'), 'read')
  segment.paths(
    valuesOf(args, '-o', '-r', '-d', '--output', '--reject-file', '--directory'),
    'write',
  )
  segment.paths(args.operands, 'write')
  // Without an operand the patch itself names what it changes.
  if (args.operands.length === 0) segment.add('DYNAMIC_WRITE')
}

const COPY: OptionSpec = {
  values: 'tSmog',
  long: ['target-directory', 'suffix', 'mode', 'owner', 'group'],
}

function splitCopy(args: ParsedArgs): {
  readonly sources: readonly ShellWord[]
  readonly targets: readonly ShellWord[]
} {
  const folders = valuesOf(args, '-t', '--target-directory')
  if (folders.length > 0) return { sources: args.operands, targets: folders }
  return { sources: args.operands.slice(0, -1), targets: args.operands.slice(-1) }
}

function judgeCopy(segment: Segment): void {
  segment.mark('other')
  const args = parseArgs(segment.args, COPY)
  if (segment.name === 'install' && hasFlag(args, '-d', '--directory')) {
    segment.paths(args.operands, 'write')
    return
  }
  const { sources, targets } = splitCopy(args)
  segment.paths(sources, 'read')
  judgeLanding(sources, targets, segment)
  if (segment.name === 'install') judgeMode(valuesOf(args, '-m', '--mode'), segment)
  const follows = hasFlag(args, '-L', '--dereference')
  if (hasFlag(args, '-r', '-R', '-a', '--recursive', '--archive'))
    judgeRecursion(sources, { skipsDots: false, followsLinks: follows }, segment)
  if (hasFlag(args, '-s', '--symbolic-link', '-l', '--link')) segment.paths(sources, 'write')
}

// What is copied or moved into a folder gets the source's name there.
function judgeLanding(
  sources: readonly ShellWord[],
  targets: readonly ShellWord[],
  segment: Segment,
): void {
  for (const target of targets) {
    segment.path(target, 'write')
    for (const source of sources) {
      const text = literalOf(source.atoms)
      const name = text?.replace(/\/+$/, '').split('/').at(-1)
      if (name === undefined || name === '' || name === '.' || name === '..') continue
      const folder = literalOf(target.atoms)
      if (folder === undefined || !isFolder(folder, segment)) continue
      segment.path({ ...target, atoms: [`${folder}/${name}`] }, 'write')
    }
  }
}

function isFolder(text: string, { context }: Segment): boolean {
  const { ground } = context.line
  return context.place.folders.paths.some((folder) => {
    const place = toPlace([text], { folder, home: ground.home })
    if (place?.literal === undefined) return false
    const found = ground.resolver.resolve(place.literal)
    return found.kind === 'resolved' && found.file?.kind === 'folder'
  })
}

function judgeMove(segment: Segment): void {
  segment.mark('other')
  const { sources, targets } = splitCopy(parseArgs(segment.args, COPY))
  judgeGone(sources, 'move', segment)
  judgeLanding(sources, targets, segment)
}

function judgeLink(segment: Segment): void {
  segment.mark('other')
  const args = parseArgs(segment.args, COPY)
  const { sources, targets } = splitCopy(args)
  const all = args.operands.length === 1 ? args.operands : sources
  for (const source of all) {
    if (!isInside(source, segment)) segment.add('LINK_CREATE')
    // A link is another way to what it names.
    segment.path(source, 'unknown')
  }
  segment.paths(targets, 'write')
}

function isInside(word: ShellWord, { context }: Segment): boolean {
  const { ground } = context.line
  const { paths, unknown } = context.place.folders
  if (unknown) return false
  return paths.every((folder) => {
    const place = toPlace(word.atoms, { folder, home: ground.home })
    if (place?.literal === undefined) return false
    const found = ground.resolver.resolve(place.literal)
    if (found.kind === 'failed' || !isRoutine(place.segments, ground)) return false
    return isRoutine(
      found.path.split('/').filter((name) => name !== ''),
      ground,
    )
  })
}

function judgeAttributes(segment: Segment): void {
  segment.mark('other')
  segment.add('ATTR_CHANGE')
  const words = segment.args.filter((word) => !startOf(word).startsWith('-') || isMode(word))
  const reference = segment.args.find((word) => startOf(word).startsWith('--reference='))
  const isAcl = segment.name === 'setfacl'
  const flags = segment.args.filter((word) => startOf(word).startsWith('-') && !isMode(word))
  if (flags.some((word) => /^-\w*R|^--recursive/.test(startOf(word)))) segment.add('MODE_CHANGE')
  if (reference !== undefined) segment.path(restOf(reference, '--reference='.length), 'meta')
  const own = reference !== undefined || isAcl ? 0 : 1
  if (segment.name === 'chmod') judgeMode(words.slice(0, own), segment)
  if (isAcl) segment.add('MODE_CHANGE')
  segment.paths(words.slice(own), 'write')
}

function isMode(word: ShellWord): boolean {
  return /^-[rwxXst]+(?:,|$)/.test(startOf(word)) && !/^-[R]/.test(startOf(word))
}

// Set-id bits, and modes that let everybody write.
function judgeMode(words: readonly ShellWord[], segment: Segment): void {
  for (const word of words) {
    const text = textOf(word)
    if (text === undefined || isWideMode(text)) segment.add('MODE_CHANGE')
  }
}

function isWideMode(mode: string): boolean {
  if (/^[0-7]+$/.test(mode)) {
    const bits = Number.parseInt(mode, 8)
    return (bits & 0o6000) !== 0 || (bits & 0o002) !== 0
  }
  return mode.split(',').some((clause) => {
    const [, who = '', change = ''] = /^([ugoa]*)([-+=].*)$/.exec(clause) ?? []
    if (change === '') return true
    const adds = /[+=]/.test(change)
    const everybody = /[oa]/.test(who)
    return adds && (/s/.test(change) || (everybody && /[wugo]/.test(change)))
  })
}
