import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isOpen, startOf, textOf } from '../shell-word.ts'
import { FILE_TESTS } from '../test-command.ts'

const NAMES =
  'echo printf true false : sleep seq expr basename dirname uname whoami id groups nproc arch uptime tty ' +
  'locale which type pwd wait jobs exit return break continue shift umask read let getopts'

/** Commands whose operands are text, and those that only ask about files. */
export const TEXT: Families = {
  ...Object.fromEntries(NAMES.split(' ').map((name) => [name, judgeText])),
  ...Object.fromEntries(
    ['ls', 'stat', 'realpath', 'readlink', 'du', 'df', 'file'].map((name) => [name, judgeMeta]),
  ),
  tree: judgeTree,
  test: judgeTest,
  '[': judgeTest,
  cd: judgeMove,
  pushd: judgeMove,
  popd: judgeMove,
  dirs: judgeText,
  date: judgeDate,
  hostname: judgeHostname,
}

function judgeText(segment: Segment): void {
  segment.mark('text')
  segment.settle('TEXT_ONLY')
}

function judgeMeta(segment: Segment): void {
  segment.mark('meta')
  const { args, name } = segment
  for (const word of args) {
    if (!startOf(word).startsWith('-')) segment.path(word, 'meta')
    else if (name === 'du' && startOf(word).startsWith('--files0-from='))
      segment.add('DYNAMIC_READ')
  }
  segment.settle('ROUTINE_READ')
}

function judgeTree(segment: Segment): void {
  segment.mark('meta')
  const at = segment.args.findIndex((word) => textOf(word) === '-o')
  const output = at < 0 ? undefined : segment.args[at + 1]
  if (output !== undefined) segment.path(output, 'write')
  for (const [index, word] of segment.args.entries())
    if (index !== at + 1 || at < 0) {
      if (!startOf(word).startsWith('-')) segment.path(word, 'meta')
    }
  segment.settle('ROUTINE_READ')
}

function judgeTest(segment: Segment): void {
  segment.mark('meta')
  const { args } = segment
  for (const [index, word] of args.entries()) {
    const before = textOf(args[index - 1]) ?? ''
    const after = textOf(args[index + 1]) ?? ''
    const compared = ['-nt', '-ot', '-ef'].some((name) => name === before || name === after)
    if ((FILE_TESTS.has(before) || compared) && !isOpen(word)) segment.path(word, 'meta')
  }
  segment.settle('TEXT_ONLY')
}

function judgeMove(segment: Segment): void {
  segment.mark('meta')
  const target = segment.args.find((word) => !startOf(word).startsWith('-'))
  if (target !== undefined) segment.path(target, 'meta')
  segment.settle('TEXT_ONLY')
}

const DATE_VALUES: ReadonlySet<string> = new Set(['d', 'f', 'r', 's', 'I', 'v'])

function judgeDate(segment: Segment): void {
  if (segment.args.some(setsClock)) segment.add('SYSTEM_CONTROL')
  const at = segment.args.findIndex((word) => ['-f', '-r'].includes(textOf(word) ?? ''))
  const file = at < 0 ? undefined : segment.args[at + 1]
  if (file !== undefined) segment.path(file, 'read')
  for (const word of segment.args) {
    const attached = /^--(?:file|reference)=/.exec(startOf(word))?.[0]
    if (attached !== undefined) segment.add('OUTSIDE_READ')
  }
  judgeText(segment)
}

function setsClock(word: ShellWord): boolean {
  const text = startOf(word)
  if (text.startsWith('--')) {
    const name = text.split('=')[0] ?? ''
    return name.length > 2 && '--set'.startsWith(name)
  }
  if (!text.startsWith('-')) return false
  return (
    text
      .slice(1)
      .split('')
      .find((letter) => DATE_VALUES.has(letter)) === 's'
  )
}

const HOSTNAME_FLAGS =
  /^-[adfIiAsy]|^--(?:alias|domain|fqdn|long|ip-address|all|short|help|version)/

function judgeHostname(segment: Segment): void {
  const sets = segment.args.some((word) => !HOSTNAME_FLAGS.test(startOf(word)))
  if (sets) segment.add('SYSTEM_CONTROL')
  judgeText(segment)
}
