import { namesSecret } from '../../paths/names.ts'
import type { Flag, OptionSpec, ParsedArgs } from '../options.ts'
import { isFlag, parseArgs } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, textOf } from '../shell-word.ts'
import { HERE, judgeRecursion } from './recursion.ts'

interface Reader extends OptionSpec {
  /** Flags whose value is text. */
  readonly texts?: readonly string[]
  readonly writes?: readonly string[]
  /** The second operand is written. */
  readonly secondWrites?: boolean
}

const READERS: Readonly<Record<string, Reader>> = {
  cat: {},
  head: { values: 'nc', long: ['lines', 'bytes'], texts: ['-n', '-c', '--lines', '--bytes'] },
  tail: {
    values: 'ncs',
    long: ['lines', 'bytes', 'pid', 'sleep-interval'],
    texts: ['-n', '-c', '-s', '--lines', '--bytes', '--pid', '--sleep-interval'],
  },
  wc: {},
  od: { values: 'AjNStw', texts: ['-A', '-j', '-N', '-S', '-t', '-w'] },
  xxd: { values: 'cglosR', texts: ['-c', '-g', '-l', '-o', '-s', '-R'], secondWrites: true },
  hexdump: { values: 'efns', texts: ['-e', '-n', '-s'] },
  strings: { values: 'netT', texts: ['-n', '-e', '-t', '-T'] },
  nl: { values: 'bdfhilnsvw', texts: 'bdfhilnsvw'.split('').map((letter) => `-${letter}`) },
  sort: {
    values: 'kotST',
    long: [
      'key',
      'output',
      'field-separator',
      'buffer-size',
      'temporary-directory',
      'compress-program',
      'parallel',
      'batch-size',
      'files0-from',
    ],
    texts: [
      '-k',
      '-t',
      '-S',
      '--key',
      '--field-separator',
      '--buffer-size',
      '--parallel',
      '--batch-size',
      '--sort',
    ],
    writes: ['-o', '--output'],
  },
  uniq: { values: 'fsw', texts: ['-f', '-s', '-w'], secondWrites: true },
  cut: {
    values: 'bcdf',
    long: ['bytes', 'characters', 'delimiter', 'fields', 'output-delimiter'],
    texts: [
      '-b',
      '-c',
      '-d',
      '-f',
      '--bytes',
      '--characters',
      '--delimiter',
      '--fields',
      '--output-delimiter',
    ],
  },
  column: {
    values: 'cosNRWETHO',
    texts: 'cosNRWETHO'.split('').map((letter) => `-${letter}`),
  },
  paste: { values: 'd', long: ['delimiters'], texts: ['-d', '--delimiters'] },
  join: { values: 'aeo12jtv', texts: 'aeo12jtv'.split('').map((letter) => `-${letter}`) },
  comm: {},
  fold: { values: 'w', texts: ['-w'] },
  fmt: { values: 'wgp', texts: ['-w', '-g', '-p'] },
  rev: {},
  tac: { values: 's', texts: ['-s'] },
  diff: {
    values: 'UCIxXFSWD',
    long: [
      'exclude',
      'exclude-from',
      'ignore-matching-lines',
      'label',
      'starting-file',
      'width',
      'color',
    ],
    texts: [
      '-U',
      '-C',
      '-I',
      '-x',
      '-F',
      '-W',
      '-D',
      '--exclude',
      '--label',
      '--color',
      '--width',
      '--ignore-matching-lines',
    ],
  },
  cmp: { values: 'in', texts: ['-i', '-n'] },
  base64: { values: 'wbio', texts: ['-w', '-b'], writes: ['-o'] },
  base32: { values: 'w', texts: ['-w'] },
  cksum: { values: 'al', texts: ['-a', '-l'] },
  ...Object.fromEntries(
    ['md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum'].map((name) => [
      name,
      {},
    ]),
  ),
}

/** Commands that print what is in files. */
export const READER_FAMILIES: Families = {
  ...Object.fromEntries(Object.keys(READERS).map((name) => [name, judgeReader])),
  tr: (segment) => {
    segment.mark('read')
    segment.settle('ROUTINE_READ')
  },
}

/** `sha3sum` and the like. */
export function isChecksum(name: string): boolean {
  return /^sha\w*sum$/.test(name)
}

export function judgeReader(segment: Segment): void {
  segment.mark('read')
  const reader = READERS[segment.name] ?? {}
  const args = parseArgs(segment.args, reader)
  if (segment.name === 'sort' && args.flags.some(isSortHazard)) segment.add('HAZARD_FLAG')
  if (segment.name === 'diff') judgeDiff(args, segment)
  const texts = reader.texts ?? []
  for (const flag of args.flags) {
    if (flag.value === undefined) continue
    if (reader.writes !== undefined && isFlag(flag, ...reader.writes))
      segment.path(flag.value, 'write')
    else if (isFlag(flag, ...texts)) judgeTextValue(flag.value, segment)
    else judgeFlagValue(flag, texts, segment)
  }
  for (const [index, word] of args.operands.entries())
    segment.path(word, reader.secondWrites === true && index === 1 ? 'write' : 'read')
  settleRead(segment)
}

/** Paths inside flags are read too, unless the flag takes text. */
export function judgeFlagValue(flag: Flag, texts: readonly string[], segment: Segment): void {
  if (flag.value === undefined || isFlag(flag, ...texts)) return
  if (isFlag(flag, '--files0-from')) segment.add('DYNAMIC_READ')
  if (isPathLike(flag.value)) segment.path(flag.value, 'read')
}

// Not every version of a command takes the same values, so a path is looked at wherever it stands.
function judgeTextValue(word: ShellWord, segment: Segment): void {
  const text = textOf(word)
  if (text === undefined || text.length < 2) return
  if (text.includes('/') || namesSecret([text])) segment.path(word, 'read')
}

export function settleRead(segment: Segment): void {
  segment.settle('ROUTINE_READ')
}

function isPathLike(word: ShellWord): boolean {
  if (isDynamic(word)) return true
  const text = textOf(word)
  if (text === undefined) return true
  return text.includes('/') || /^[.~]/.test(text) || namesSecret([text])
}

function isSortHazard(flag: Flag): boolean {
  return isFlag(flag, '-T', '--compress-program', '--temporary-directory')
}

function judgeDiff(args: ParsedArgs, segment: Segment): void {
  if (!args.flags.some((flag) => isFlag(flag, '-r', '--recursive'))) return
  const roots = args.operands.length > 0 ? args.operands : [HERE]
  judgeRecursion(roots, { skipsDots: false, followsLinks: true }, segment)
}
