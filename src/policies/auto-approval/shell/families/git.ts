import { toGlobAtoms } from '../../paths/atoms.ts'
import type { OptionSpec, ParsedArgs } from '../options.ts'
import { hasFlag, parseArgs, valuesOf } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import { createSegment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, joinWords, knownText, restOf, startOf, textOf } from '../shell-word.ts'
import { folderAfter } from '../folders.ts'
import { judgeGitConfig } from './git-config.ts'
import { judgeGitLoss } from './git-loss.ts'
import { hazardIn } from './hazard-flags.ts'
import { READER_HAZARDS } from './reader-hazards.ts'
import { judgeCredentials, judgeSender } from './sender.ts'

export const GIT_FAMILIES: Families = { git: judgeGit }

const READS =
  'status diff log show rev-parse rev-list ls-files ls-tree blame grep describe shortlog merge-base name-rev ' +
  'cat-file version help show-ref for-each-ref check-ignore count-objects whatchanged cherry var ls-remote diff-tree diff-index'
const CHANGES =
  'add commit checkout switch branch tag merge cherry-pick revert stash mv apply am init worktree notes bisect ' +
  'gc rebase reset restore clean rm reflog update-ref filter-branch sparse-checkout update-index symbolic-ref'
const NETWORK = 'fetch pull clone remote submodule'
const LISTING_FORMS = 'branch tag remote stash worktree notes reflog'

const kinds: ReadonlyMap<string, string> = new Map([
  ...READS.split(' ').map((name) => [name, 'read'] as const),
  ...CHANGES.split(' ').map((name) => [name, 'change'] as const),
  ...NETWORK.split(' ').map((name) => [name, 'network'] as const),
])
const LISTABLE: ReadonlySet<string> = new Set(LISTING_FORMS.split(' '))

const BEFORE: OptionSpec = {
  values: 'cC',
  long: [
    'git-dir',
    'work-tree',
    'namespace',
    'config-env',
    'exec-path',
    'super-prefix',
    'attr-source',
    'list-cmds',
  ],
  stops: true,
}
const AFTER: OptionSpec = {
  values: 'mFCcSGOL',
  long: (
    'message file author date format pretty since until after before grep max-count output extcmd ' +
    'upload-pack receive-pack pathspec-from-file branch origin depth reference template strategy ' +
    'strategy-option onto exec diff-filter word-diff-regex'
  ).split(' '),
}

function judgeGit(segment: Segment): void {
  const before = parseArgs(segment.args, BEFORE)
  if (hazardIn(before, READER_HAZARDS.gitBefore)) segment.add('HAZARD_FLAG')
  const folder = valuesOf(before, '-C').at(-1)
  const inner = folder === undefined ? segment : inFolder(folder, segment)
  const [sub, ...rest] = before.operands
  const name = textOf(sub)
  inner.mark('other')
  if (sub === undefined) return inner.settle('GIT_READ')
  if (name === undefined) {
    inner.add('DYNAMIC_COMMAND')
    return inner.paths(rest, 'unknown')
  }
  judgeSubcommand(name, rest, inner)
  // The segment's own record is the outer one.
  for (const code of inner.codes) if (inner !== segment) segment.add(code)
}

function inFolder(folder: ShellWord, segment: Segment): Segment {
  segment.path(folder, 'read')
  const { context } = segment
  const folders = folderAfter(folder, context.place.folders, context.line.ground)
  return createSegment({
    ...segment,
    context: { ...context, place: { folders } },
    nest: (_, text, args) => segment.nest(text, args),
  })
}

function judgeSubcommand(name: string, rest: readonly ShellWord[], segment: Segment): void {
  const args = parseArgs(rest, name === 'grep' ? { ...AFTER, values: 'efABCmO' } : AFTER)
  if (hazardIn(args, READER_HAZARDS.git) || isHazardous(name, rest, args))
    segment.add('HAZARD_FLAG')
  const kind = kinds.get(name)
  if (name === 'push') return judgePush(args, rest, segment)
  if (name === 'config') return judgeGitConfig(args, rest, segment)
  if (name === 'credential' || name.startsWith('credential-')) return segment.add('SECRET_READ')
  if (kind === undefined) {
    segment.add('UNKNOWN_COMMAND')
    return segment.paths(args.operands, 'unknown')
  }
  if (kind === 'read' || (LISTABLE.has(name) && isListing(name, args)))
    return judgeRead(name, args, segment)
  if (kind === 'network') judgeNetwork(name, args, segment)
  segment.add('GIT_CHANGE')
  judgeGitLoss(name, args, rest, segment)
  judgeNested(name, rest, args, segment)
  judgeChanged(name, args, segment)
}

function isHazardous(name: string, rest: readonly ShellWord[], args: ParsedArgs): boolean {
  if (name === 'difftool' || name === 'mergetool') return true
  if ((name === 'diff' || name === 'grep') && args.flags.some((flag) => flag.name === '-O'))
    return true
  return rest.some((word) => /(?:^|=)(?:ext|fd)::/.test(knownText(word)))
}

const BRANCH_CHANGES = (
  '-d -D -m -M -c -C -f -u --delete --move --copy --force --edit-description --unset-upstream ' +
  '--set-upstream-to'
).split(' ')
const TAG_CHANGES = '-d --delete -a -s -f -m --force --annotate --sign'.split(' ')
const LISTS = '-l --list --show-current --contains --no-contains --merged --no-merged'.split(' ')

function isListing(name: string, args: ParsedArgs): boolean {
  const [first] = args.operands.map(textOf)
  const lists = args.operands.length === 0 || hasFlag(args, ...LISTS)
  switch (name) {
    case 'branch':
      return lists && !hasFlag(args, ...BRANCH_CHANGES)
    case 'tag':
      return lists && !hasFlag(args, ...TAG_CHANGES)
    case 'remote':
      return args.operands.length === 0 || first === 'get-url'
    case 'stash':
    case 'worktree':
    case 'notes':
      return first === 'list' || (first === 'show' && name !== 'worktree')
    default:
      return first === undefined || first === 'show' || first === 'exists'
  }
}

function judgeRead(name: string, args: ParsedArgs, segment: Segment): void {
  if (name === 'ls-remote') judgeSender(segment)
  const operands = name === 'grep' && !hasFlag(args, '-e') ? args.operands.slice(1) : args.operands
  const lines = name === 'log' || name === 'blame' ? valuesOf(args, '-L') : []
  for (const word of [...operands, ...lines, ...valuesOf(args, '--contents')])
    for (const path of pathsIn(word)) segment.path(path, 'read')
  segment.settle('GIT_READ')
}

// A path can stand behind a revision, a stage or pathspec magic, and git reads globs in quotes.
function pathsIn(word: ShellWord): readonly ShellWord[] {
  const start = startOf(word)
  const ends = Array.from(
    start.matchAll(/:(?:\([^)]*\)|[/!^]+)?/g),
    ({ 0: all, index }) => index + all.length,
  )
  const words = [word, ...ends.map((end) => restOf(word, end))].filter((one) => textOf(one) !== '')
  return words.map((one) => {
    const text = textOf(one)
    return text !== undefined && /[*?[]/.test(text) ? { ...one, atoms: toGlobAtoms(text) } : one
  })
}

function judgeNetwork(name: string, args: ParsedArgs, segment: Segment): void {
  judgeSenderOf(segment)
  if (name === 'clone') {
    const [source, target] = args.operands
    if (source !== undefined && !/:/.test(knownText(source))) segment.path(source, 'read')
    if (target !== undefined) segment.path(target, 'write')
  }
}

// Git sends what was committed, not what lies around.
function judgeSenderOf(segment: Segment): void {
  segment.add('NETWORK')
  judgeCredentials(segment)
}

function judgePush(args: ParsedArgs, rest: readonly ShellWord[], segment: Segment): void {
  segment.add('GIT_PUSH')
  judgeCredentials(segment)
  const forced =
    args.flags.some(({ name }) => name.startsWith('--force')) ||
    hasFlag(args, '-f', '-d', '--force', '--mirror', '--delete', '--prune') ||
    args.operands.some(
      (word) => /^[+:]/.test(startOf(word)) || (isDynamic(word) && startOf(word) === ''),
    )
  const clustered = rest.some((word) => /^-[a-z]*[fd]/.test(startOf(word)))
  if (forced || clustered) segment.add('FORCE_PUSH')
}

// Texts that git runs.
function judgeNested(
  name: string,
  rest: readonly ShellWord[],
  args: ParsedArgs,
  segment: Segment,
): void {
  const texts = name === 'rebase' ? [...valuesOf(args, '--exec'), ...shortExec(rest)] : []
  const [first] = args.operands.map(textOf)
  const at = rest.findIndex((word) => textOf(word) === first)
  if (name === 'submodule' && first === 'foreach') {
    const words = rest
      .slice(at + 1)
      .filter((word) => !['--recursive', '--quiet', '-q'].includes(textOf(word) ?? ''))
    texts.push(joinWords(words))
  }
  if (name === 'bisect' && first === 'run') texts.push(joinWords(rest.slice(at + 1)))
  for (const text of texts) {
    segment.add('INLINE_SOURCE')
    segment.nest(text)
  }
}

function shortExec(rest: readonly ShellWord[]): readonly ShellWord[] {
  const at = rest.findIndex((word) => textOf(word) === '-x')
  const value = at < 0 ? undefined : rest[at + 1]
  return value === undefined ? [] : [value]
}

function judgeChanged(name: string, args: ParsedArgs, segment: Segment): void {
  segment.paths(valuesOf(args, '--pathspec-from-file'), 'read')
  if (name === 'commit' || name === 'tag' || name === 'notes')
    segment.paths(valuesOf(args, '-F', '--file'), 'read')
  if (name === 'mv') segment.paths(args.operands, 'write')
  if (name === 'apply' || name === 'am') segment.paths(args.operands, 'read')
  if (name === 'init') segment.paths(args.operands, 'write')
  if (name === 'worktree' && textOf(args.operands[0]) === 'add')
    segment.paths(args.operands.slice(1, 2), 'write')
  if (name === 'add') segment.paths(args.operands, 'meta')
}
