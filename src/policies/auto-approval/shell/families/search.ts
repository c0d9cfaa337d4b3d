import type { Flag, OptionSpec, ParsedArgs } from '../options.ts'
import { hasFlag, isFlag, parseArgs, valuesOf } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, knownText, textOf } from '../shell-word.ts'
import { hazardIn } from './hazard-flags.ts'
import { READER_HAZARDS } from './reader-hazards.ts'
import { judgeFlagValue, settleRead } from './readers.ts'
import { HERE, isHarmlessFilter, judgeRecursion } from './recursion.ts'
import { isPlainSedScript } from './sed-script.ts'

/** Readers whose first operand is a pattern or a program. */
export const SEARCH_FAMILIES: Families = {
  grep: judgeGrep,
  egrep: judgeGrep,
  fgrep: judgeGrep,
  rg: judgeRipgrep,
  sed: judgeSed,
  gsed: judgeSed,
  jq: judgeJq,
}

const GREP: OptionSpec = {
  values: 'efmABCdD',
  long: [
    ...['regexp', 'file', 'max-count', 'after-context', 'before-context', 'context', 'directories'],
    ...['devices', 'include', 'exclude', 'exclude-dir', 'exclude-from', 'label', 'binary-files'],
  ],
}
const GREP_TEXTS = [
  ...['-e', '-m', '-A', '-B', '-C', '-d', '-D', '--regexp', '--max-count', '--after-context'],
  ...['--before-context', '--context', '--directories', '--devices', '--include', '--exclude'],
  ...['--exclude-dir', '--label', '--binary-files', '--color', '--colour'],
]

function judgeGrep(segment: Segment): void {
  segment.mark('read')
  const args = parseArgs(segment.args, GREP)
  const paths = withoutPattern(args, '-e', '-f', '--regexp', '--file')
  for (const flag of args.flags)
    if (isFlag(flag, '-f', '--file') && flag.value !== undefined) segment.path(flag.value, 'read')
    else judgeFlagValue(flag, GREP_TEXTS, segment)
  segment.paths(paths, 'read')
  const follows = hasFlag(args, '-R', '--dereference-recursive')
  const recursive = follows || hasFlag(args, '-r', '--recursive') || walksFolders(args)
  const filters = valuesOf(args, '--include')
  const filtered = filters.length > 0 && filters.every(isHarmlessFilter)
  if (recursive && !filtered) {
    const options = { skipsDots: false, followsLinks: follows }
    judgeRecursion(paths.length > 0 ? paths : [HERE], options, segment)
  }
  settleRead(segment)
}

function walksFolders(args: ParsedArgs): boolean {
  return valuesOf(args, '-d', '--directories').some(
    (value) => textOf(value) !== 'skip' && textOf(value) !== 'read',
  )
}

function withoutPattern(args: ParsedArgs, ...names: readonly string[]): readonly ShellWord[] {
  return hasFlag(args, ...names) ? args.operands : args.operands.slice(1)
}

const RG: OptionSpec = {
  values: 'efmABCgtTjMEdr',
  long: [
    ...[
      'regexp',
      'file',
      'max-count',
      'after-context',
      'before-context',
      'context',
      'glob',
      'iglob',
    ],
    ...[
      'type',
      'type-not',
      'threads',
      'max-columns',
      'encoding',
      'max-depth',
      'replace',
      'sort',
      'sortr',
    ],
    ...[
      'color',
      'colors',
      'ignore-file',
      'pre',
      'pre-glob',
      'hostname-bin',
      'type-add',
      'max-filesize',
    ],
    ...['path-separator', 'context-separator', 'field-match-separator', 'engine', 'dfa-size-limit'],
  ],
}
const RG_TEXTS = [
  ...[
    '-e',
    '-m',
    '-A',
    '-B',
    '-C',
    '-g',
    '-t',
    '-T',
    '-j',
    '-M',
    '-E',
    '-d',
    '-r',
    '--regexp',
    '--glob',
  ],
  ...[
    '--iglob',
    '--type',
    '--type-not',
    '--replace',
    '--color',
    '--colors',
    '--max-count',
    '--context',
  ],
  ...[
    '--after-context',
    '--before-context',
    '--max-depth',
    '--sort',
    '--sortr',
    '--path-separator',
  ],
  ...['--context-separator', '--field-match-separator', '--type-add', '--threads', '--engine'],
]
const SOURCE_TYPES: ReadonlySet<string> = new Set(
  'ts js py rust go java c cpp css html md markdown ruby php swift kotlin'.split(' '),
)

function judgeRipgrep(segment: Segment): void {
  segment.mark('read')
  const args = parseArgs(segment.args, RG)
  if (hazardIn(args, READER_HAZARDS.rg)) segment.add('HAZARD_FLAG')
  const listing = hasFlag(args, '--files')
  const paths = listing ? args.operands : withoutPattern(args, '-e', '-f', '--regexp', '--file')
  for (const flag of args.flags)
    if (isFlag(flag, '-f', '--file') && flag.value !== undefined) segment.path(flag.value, 'read')
    else judgeFlagValue(flag, RG_TEXTS, segment)
  segment.paths(paths, listing ? 'meta' : 'read')
  if (!listing) judgeRipgrepWalk(args, paths, segment)
  settleRead(segment)
}

function judgeRipgrepWalk(args: ParsedArgs, paths: readonly ShellWord[], segment: Segment): void {
  const stdin = segment.context.stdin.kind
  if (paths.length === 0 && stdin !== 'inherited') return
  if (isNarrowed(args)) return
  const shows = args.flags.some(
    (flag: Flag) =>
      isFlag(flag, '-u', '-.', '--unrestricted') ||
      ['--hidden', '--no-ignore'].includes(flag.name) ||
      flag.name.startsWith('--no-ignore'),
  )
  // A glob that names a hidden file shows it.
  const named = hasFlag(args, '-g', '--glob', '--iglob')
  const options = { skipsDots: !shows && !named, followsLinks: hasFlag(args, '-L', '--follow') }
  judgeRecursion(paths.length > 0 ? paths : [HERE], options, segment)
}

function isNarrowed(args: ParsedArgs): boolean {
  const globs = valuesOf(args, '-g', '--glob', '--iglob').filter(
    (word) => !(textOf(word) ?? '').startsWith('!'),
  )
  if (globs.length > 0 && globs.every(isHarmlessFilter)) return true
  const types = valuesOf(args, '-t', '--type')
  return types.length > 0 && types.every((word) => SOURCE_TYPES.has(textOf(word) ?? ''))
}

const SED: OptionSpec = {
  values: 'efl',
  attached: 'i',
  long: ['expression', 'file', 'line-length'],
}

function judgeSed(segment: Segment): void {
  segment.mark('read')
  const args = parseArgs(segment.args, SED)
  const given = valuesOf(args, '-e', '--expression')
  const files = valuesOf(args, '-f', '--file')
  const inline = given.length > 0 || files.length > 0
  const scripts = inline ? given : args.operands.slice(0, 1)
  if (files.length > 0 || !scripts.every((word) => isPlainSedScript(textOf(word) ?? '{')))
    segment.add('HAZARD_FLAG')
  segment.paths(files, 'read')
  const changes = hasFlag(args, '-i', '--in-place')
  if (changes) segment.mark('other')
  for (const word of inline ? args.operands : args.operands.slice(1)) {
    const codes = segment.path(word, changes ? 'write' : 'read')
    if (changes && codes.length > 0) segment.path(word, 'read')
  }
  settleRead(segment)
}

const JQ: OptionSpec = { values: 'fL', long: ['from-file', 'indent', 'tab', 'seq', 'library-path'] }
/** Flags that take a name and one more word. */
const JQ_PAIRS: ReadonlyMap<string, boolean> = new Map([
  ['--arg', false],
  ['--argjson', false],
  ['--slurpfile', true],
  ['--rawfile', true],
])

function judgeJq(segment: Segment): void {
  segment.mark('read')
  const words: ShellWord[] = []
  for (let at = 0; at < segment.args.length; at += 1) {
    const word = segment.args[at]
    if (word === undefined) break
    const names = JQ_PAIRS.get(textOf(word) ?? '')
    const value = segment.args[at + 2]
    if (names === undefined) words.push(word)
    else at += 2
    if (names === true && value !== undefined) segment.path(value, 'read')
  }
  const args = parseArgs(words, JQ)
  const fromFile = valuesOf(args, '-f', '--from-file')
  segment.paths([...fromFile, ...valuesOf(args, '-L', '--library-path')], 'read')
  const [program, ...files] = args.operands
  const paths = fromFile.length > 0 ? args.operands : files
  if (fromFile.length === 0 && program !== undefined && readsEnvironment(program)) {
    segment.add('ENV_DUMP')
    segment.event('dump')
  }
  segment.paths(paths, 'read')
  settleRead(segment)
}

function readsEnvironment(program: ShellWord): boolean {
  const text = knownText(program)
  const named = text
    .split(/[^\w.$@]+/)
    .some((token) => token === 'env' || token.startsWith('env.') || token.startsWith('$ENV'))
  return named || (isDynamic(program) && text.includes('env'))
}
