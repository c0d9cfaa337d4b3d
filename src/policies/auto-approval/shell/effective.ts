import { foldName } from '../../../sandbox/fold-name.ts'
import type { Flag, OptionSpec, ParsedArgs } from './options.ts'
import { isFlag, parseArgs, valuesOf } from './options.ts'
import type { ShellWord } from './shell-word.ts'
import { joinWords, startOf, textOf, textWord, UNKNOWN_WORD } from './shell-word.ts'

/** What stands before a command and what it does. */
export interface Effective {
  /** The command and its operands; empty when there is none. */
  readonly words: readonly ShellWord[]
  /** Texts that are run like lines of their own. */
  readonly texts: readonly ShellWord[]
  /** Files that wrappers write. */
  readonly writes: readonly ShellWord[]
  /** Files that wrappers read operands from. */
  readonly reads: readonly ShellWord[]
  /** Folder that the command runs in. */
  readonly folder: ShellWord | undefined
  /** Assignments in front, as `NAME=value` words. */
  readonly assignments: readonly ShellWord[]
  readonly tooDeep: boolean
  /** Only asks what a name means. */
  readonly isQuestion: boolean
  /** Names of the wrappers that were removed, outermost first. */
  readonly wrappers: readonly string[]
  readonly wrapperWords: readonly ShellWord[]
}

interface Wrapper extends OptionSpec {
  /** Operands of its own before the command. */
  readonly operands?: number
  /** Flags whose value is run as text. */
  readonly texts?: readonly string[]
  readonly writes?: readonly string[]
  /** The remaining words are one text. */
  readonly joins?: boolean
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    values: 'uCS',
    long: ['unset', 'chdir', 'split-string', 'argv0'],
    texts: ['-S', '--split-string'],
  },
  nohup: {},
  setsid: {},
  stdbuf: { values: 'ioe', long: ['input', 'output', 'error'] },
  command: {},
  builtin: {},
  time: { values: 'fo', long: ['format', 'output'], writes: ['-o', '--output'] },
  timeout: { values: 'ks', long: ['kill-after', 'signal'], operands: 1 },
  nice: { values: 'n', long: ['adjustment'] },
  ionice: { values: 'cnpPu', long: ['class', 'classdata', 'pid'] },
  chrt: { values: 'pTPD', operands: 1 },
  taskset: { values: 'p', operands: 1 },
  flock: {
    values: 'wEc',
    long: ['timeout', 'wait', 'command', 'conflict-exit-code'],
    operands: 1,
    texts: ['-c', '--command'],
  },
  xargs: {
    values: 'aEIdLnPs',
    attached: 'eil',
    long: [
      'arg-file',
      'delimiter',
      'max-args',
      'max-lines',
      'max-procs',
      'max-chars',
      'process-slot-var',
    ],
  },
  parallel: {
    values: 'jSaNnLIC',
    long: [
      'jobs',
      'sshlogin',
      'arg-file',
      'max-args',
      'results',
      'joblog',
      'delay',
      'timeout',
      'retries',
      'colsep',
      'delimiter',
      'workdir',
    ],
  },
  watch: { values: 'nqs', long: ['interval', 'equexit'], joins: true },
  unbuffer: {},
  script: {
    values: 'cEIOBTmo',
    long: ['command', 'log-out', 'log-in', 'log-io', 'log-timing', 'output-limit'],
    operands: 1,
    texts: ['-c', '--command'],
    writes: ['-O', '-I', '-B', '-T', '--log-out', '--log-in', '--log-io', '--log-timing'],
  },
  exec: { values: 'a' },
  coproc: {},
  busybox: {},
  toybox: {},
}
const MAX_WRAPPERS = 8
const ARGUMENT_FILES: ReadonlySet<string> = new Set(['xargs', 'parallel'])
const WRITTEN_OPERANDS: ReadonlySet<string> = new Set(['script', 'flock'])

/** Base name of a command, folded, without `.exe`; undefined when it is not literal. */
export function baseName(word: ShellWord | undefined): string | undefined {
  const text = textOf(word)
  if (text === undefined) return undefined
  const base = text.slice(text.lastIndexOf('/') + 1)
  return foldName(base.slice(base.lastIndexOf('\\') + 1)).replace(/\.exe$/, '')
}

/** Removes the wrappers in front of a command. `fed` are words that are known to come from a pipe. */
export function toEffective(words: readonly ShellWord[], fed: readonly string[]): Effective {
  let state: Effective = {
    words,
    texts: [],
    writes: [],
    reads: [],
    folder: undefined,
    assignments: [],
    tooDeep: false,
    isQuestion: false,
    wrappers: [],
    wrapperWords: [],
  }
  for (;;) {
    const name = baseName(state.words[0])
    const wrapper = name === undefined ? undefined : wrapperOf(name)
    if (name === undefined || wrapper === undefined || state.isQuestion) return state
    if (state.wrappers.length >= MAX_WRAPPERS) return { ...state, tooDeep: true }
    state = unwrap(name, wrapper, { ...state, fed })
  }
}

function wrapperOf(name: string): Wrapper | undefined {
  return Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
}

interface Fed extends Effective {
  readonly fed: readonly string[]
}

function unwrap(name: string, wrapper: Wrapper, state: Fed): Effective {
  const args = parseArgs(state.words.slice(1), { ...wrapper, stops: true })
  const assigned = name === 'env' ? countAssignments(args.operands) : 0
  const own = assigned + (wrapper.operands ?? 0)
  const rest = args.operands.slice(own)
  const texts = valuesOf(args, ...(wrapper.texts ?? []))
  const flockText = name === 'flock' ? flockTexts(args) : []
  const folder = name === 'env' ? valuesOf(args, '-C', '--chdir')[0] : undefined
  const written = WRITTEN_OPERANDS.has(name) ? args.operands.slice(0, own) : []
  const command = flockText.length > 0 ? [] : rest
  return {
    words:
      wrapper.joins === true
        ? []
        : [
            ...withUnknown(name, command, args),
            ...(name === 'xargs' ? state.fed.map(textWord) : []),
          ],
    texts: [
      ...state.texts,
      ...texts,
      ...flockText,
      ...(wrapper.joins === true && rest.length > 0 ? [joinWords(rest)] : []),
    ],
    writes: [...state.writes, ...written, ...valuesOf(args, ...(wrapper.writes ?? []))],
    reads: ARGUMENT_FILES.has(name)
      ? [...state.reads, ...valuesOf(args, '-a', '--arg-file')]
      : state.reads,
    folder: folder ?? state.folder,
    assignments: [...state.assignments, ...args.operands.slice(0, assigned)],
    tooDeep: state.tooDeep,
    isQuestion: name === 'command' && args.flags.some((flag) => isFlag(flag, '-v', '-V')),
    wrappers: [...state.wrappers, name],
    wrapperWords: [...state.wrapperWords, ...state.words.slice(0, 1)],
  }
}

// `flock FILE -c TEXT`: the flag comes after the operand.
function flockTexts(args: ParsedArgs): readonly ShellWord[] {
  const at = args.operands.findIndex(
    (word) => textOf(word) === '-c' || textOf(word) === '--command',
  )
  const text = at > 0 ? args.operands[at + 1] : undefined
  return text === undefined ? [] : [text]
}

function countAssignments(words: readonly ShellWord[]): number {
  const at = words.findIndex((word) => !/^[A-Za-z_][\w.]*\+?=/.test(startOf(word)))
  return at < 0 ? words.length : at
}

function withUnknown(
  name: string,
  command: readonly ShellWord[],
  args: ParsedArgs,
): readonly ShellWord[] {
  if (name === 'xargs') {
    const replaced = args.flags.some((flag: Flag) => isFlag(flag, '-I', '-i', '--replace'))
    const words = command.length > 0 ? command : [ECHO]
    return replaced ? [...words.map(unplaced), UNKNOWN_WORD] : [...words, UNKNOWN_WORD]
  }
  if (name !== 'parallel') return command
  const marks = new Set([':::', '::::', ':::+', '::::+'])
  const at = command.findIndex((word) => marks.has(textOf(word) ?? ''))
  if (at < 0) return command.length > 0 ? [...command.map(unplaced), UNKNOWN_WORD] : []
  const listed = command.slice(at + 1).filter((word) => !marks.has(textOf(word) ?? ''))
  return [...command.slice(0, at).map(unplaced), ...listed, UNKNOWN_WORD]
}

// A word with the placeholder in it is not known as a whole.
function unplaced(word: ShellWord): ShellWord {
  const text = textOf(word)
  return text?.includes('{}') === true && text !== '{}'
    ? { ...UNKNOWN_WORD, alternatives: [[text]] }
    : word
}

const ECHO: ShellWord = { ...UNKNOWN_WORD, atoms: ['echo'], expanded: false, splits: false }
