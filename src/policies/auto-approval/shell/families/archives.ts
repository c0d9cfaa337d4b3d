import { parseArgs, valuesOf, hasFlag } from '../options.ts'
import type { OptionSpec, ParsedArgs } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { startOf, textOf, textWord } from '../shell-word.ts'
import { folderAfter } from '../folders.ts'
import { createSegment } from '../segment.ts'
import { hazardIn } from './hazard-flags.ts'
import { READER_HAZARDS } from './reader-hazards.ts'
import { HERE, judgeRecursion } from './recursion.ts'

/** Commands that make archives or unpack them. */
export const ARCHIVE_FAMILIES: Families = {
  tar: judgeTar,
  bsdtar: judgeTar,
  zip: judgeZip,
  unzip: (segment) => judgeUnpack(segment, { values: 'dx' }, ['-d']),
  '7z': judgeSevenZip,
  '7za': judgeSevenZip,
  gunzip: judgeInPlace,
  bunzip2: judgeInPlace,
  unxz: judgeInPlace,
  unzstd: judgeInPlace,
  zcat: judgeStream,
  bzcat: judgeStream,
  xzcat: judgeStream,
  zstdcat: judgeStream,
}

const TAR: OptionSpec = {
  values: 'fCTXbHgNVKLIF',
  long: [
    ...[
      'file',
      'directory',
      'files-from',
      'exclude',
      'exclude-from',
      'strip-components',
      'transform',
    ],
    ...[
      'blocking-factor',
      'format',
      'listed-incremental',
      'newer',
      'label',
      'owner',
      'group',
      'mode',
    ],
    ...[
      'to-command',
      'checkpoint-action',
      'use-compress-program',
      'info-script',
      'new-volume-script',
    ],
  ],
}

function judgeTar(segment: Segment): void {
  segment.mark('other')
  const args = parseArgs(withDash(segment.args), TAR)
  if (hazardIn(args, READER_HAZARDS.tar)) segment.add('HAZARD_FLAG')
  const archives = valuesOf(args, '-f', '--file').filter((word) => textOf(word) !== '-')
  const folders = valuesOf(args, '-C', '--directory')
  segment.paths(valuesOf(args, '-T', '-X', '--files-from', '--exclude-from'), 'read')
  if (archives.some((word) => isRemote(word))) segment.add('NETWORK')
  if (hasFlag(args, '-x', '--extract', '--get')) return judgeExtract(segment, archives, folders)
  if (hasFlag(args, '-t', '--list')) {
    segment.paths(archives, 'read')
    return segment.settle('ROUTINE_READ')
  }
  if (hasFlag(args, '--delete')) segment.add('DELETE')
  segment.paths(archives, 'write')
  const inner = inFolder(segment, folders.at(-1))
  inner.paths(args.operands, 'read')
  if (hasFlag(args, '--remove-files')) inner.paths(args.operands, 'delete')
  const follows = hasFlag(args, '-h', '--dereference')
  if (valuesOf(args, '-T', '--files-from').length > 0) segment.add('RECURSIVE_READ')
  judgeRecursion(args.operands, { skipsDots: false, followsLinks: follows }, inner)
}

function judgeExtract(
  segment: Segment,
  archives: readonly ShellWord[],
  folders: readonly ShellWord[],
): void {
  segment.add('EXTRACT')
  segment.paths(archives, 'read')
  segment.paths(folders.length > 0 ? folders : [HERE], 'write')
}

// `tar czf x` is `tar -czf x`.
function withDash(args: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = args
  const text = textOf(first)
  if (text === undefined || !/^[A-Za-z]+$/.test(text)) return args
  // Old style takes the values of its letters in order from the words that follow.
  const letters = text.split('').map((letter) => `-${letter}`)
  const words = [...rest]
  const bundled = letters.flatMap((flag): readonly ShellWord[] => {
    const takes = TAR.values?.includes(flag.slice(1)) === true
    const value = takes ? words.shift() : undefined
    return value === undefined ? [textWord(flag)] : [textWord(flag), value]
  })
  return [...bundled, ...words]
}

function isRemote(word: ShellWord): boolean {
  return /^[^/]+:/.test(startOf(word))
}

function inFolder(segment: Segment, folder: ShellWord | undefined): Segment {
  if (folder === undefined) return segment
  segment.path(folder, 'meta')
  const { context } = segment
  const folders = folderAfter(folder, context.place.folders, context.line.ground)
  return createSegment({
    ...segment,
    context: { ...context, place: { folders } },
    nest: (_, text, args) => segment.nest(text, args),
  })
}

function judgeZip(segment: Segment): void {
  segment.mark('other')
  const args = parseArgs(segment.args, { values: 'bnPtxi', long: ['out', 'temp-path'] })
  if (hasFlag(args, '-T', '-TT', '--unzip-command')) segment.add('HAZARD_FLAG')
  const [archive, ...sources] = args.operands
  if (archive !== undefined) segment.path(archive, 'write')
  segment.paths(sources, 'read')
  if (hasFlag(args, '-m', '--move', '-d', '--delete')) segment.paths(sources, 'delete')
  if (hasFlag(args, '-r', '-R', '--recurse-paths'))
    judgeRecursion(
      sources.length > 0 ? sources : [HERE],
      { skipsDots: false, followsLinks: true },
      segment,
    )
}

function judgeUnpack(segment: Segment, spec: OptionSpec, folders: readonly string[]): void {
  segment.mark('other')
  const args = parseArgs(segment.args, spec)
  segment.paths(args.operands.slice(0, 1), 'read')
  if (hasFlag(args, '-l', '-t', '-v', '-Z')) return segment.settle('ROUTINE_READ')
  segment.add('EXTRACT')
  const into = valuesOf(args, ...folders)
  segment.paths(into.length > 0 ? into : [HERE], 'write')
}

function judgeSevenZip(segment: Segment): void {
  segment.mark('other')
  const args: ParsedArgs = parseArgs(segment.args, { attached: 'o' })
  const [command, archive, ...sources] = args.operands
  const into = valuesOf(args, '-o')
  if (textOf(command) === 'l' || textOf(command) === 't') {
    if (archive !== undefined) segment.path(archive, 'read')
    return segment.settle('ROUTINE_READ')
  }
  if (textOf(command) === 'a' || textOf(command) === 'u') {
    if (archive !== undefined) segment.path(archive, 'write')
    segment.paths(sources, 'read')
    return judgeRecursion(sources, { skipsDots: false, followsLinks: true }, segment)
  }
  segment.add('EXTRACT')
  if (archive !== undefined) segment.path(archive, 'read')
  segment.paths(into.length > 0 ? into : [HERE], 'write')
}

function judgeInPlace(segment: Segment): void {
  segment.mark('other')
  const args = parseArgs(segment.args, { values: 'S' })
  segment.add('EXTRACT')
  for (const word of args.operands) {
    segment.path(word, 'read')
    segment.path(word, 'write')
  }
}

function judgeStream(segment: Segment): void {
  segment.mark('read')
  segment.paths(parseArgs(segment.args, {}).operands, 'read')
  segment.settle('ROUTINE_READ')
}
