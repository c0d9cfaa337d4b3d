import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { restOf, startOf, textOf } from '../shell-word.ts'
import { parseArgs, valuesOf } from '../options.ts'
import { judgeBuild } from './build.ts'
import { hazardIn } from './hazard-flags.ts'
import { BUILD_HAZARDS } from './build-hazards.ts'
import type { Interpreter } from './programs.ts'
import { judgeInterpreter, judgeProgramFile, judgeStandardInput } from './programs.ts'
import { judgeUnknown } from './unknown.ts'

const NODE: Interpreter = {
  options: {
    values: 'eprC',
    long: [
      'eval',
      'print',
      'require',
      'import',
      'loader',
      'experimental-loader',
      'input-type',
      'conditions',
      'env-file',
    ],
  },
  inline: ['-e', '-p', '--eval', '--print'],
}
const SCRIPTS: Readonly<Record<string, Interpreter>> = {
  perl: { options: { values: 'eEIMmC', attached: 'iFdDx' }, inline: ['-e', '-E'] },
  ruby: { options: { values: 'eIrEC', attached: 'iFx' }, inline: ['-e'] },
  php: {
    options: { values: 'rBERFdcftSz' },
    inline: ['-r', '-B', '-R', '-E'],
    files: ['-f', '-F'],
  },
  lua: { options: { values: 'el' }, inline: ['-e'] },
  luajit: { options: { values: 'elj' }, inline: ['-e'] },
  rscript: { options: { values: 'e' }, inline: ['-e'] },
  osascript: { options: { values: 'els' }, inline: ['-e'] },
  awk: awk(),
  gawk: awk(),
  mawk: awk(),
  nawk: awk(),
}
const PYTHON: Interpreter = {
  options: { values: 'cmWXQ' },
  inline: ['-c'],
  modules: ['-m'],
}
const BUILD_MODULES: ReadonlySet<string> = new Set(['pytest', 'unittest', 'mypy', 'ruff'])
const SHELLS = ['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'rbash', 'mksh']

/** Programs that run programs. */
export const INTERPRETER_FAMILIES: Families = {
  node: judgeNode,
  nodejs: judgeNode,
  ...Object.fromEntries(
    Object.entries(SCRIPTS).map(([name, interpreter]) => [
      name,
      (segment: Segment) => judgeScript(interpreter, segment),
    ]),
  ),
  ...Object.fromEntries(SHELLS.map((name) => [name, judgeShell])),
  source: judgeSourced,
  '.': judgeSourced,
}

/** `python`, `python3`, `python3.12`. */
export function isPython(name: string): boolean {
  return /^(?:python|pypy)[\d.]*$/.test(name)
}

/** `python` and its versions. */
export function judgePython(segment: Segment): void {
  const args = judgeInterpreter(PYTHON, segment)
  const [module] = valuesOf(args, '-m')
  if (module === undefined) return
  const name = (textOf(module) ?? '').split('.')[0] ?? ''
  const at = segment.args.findIndex(
    (word) => startOf(word).startsWith('-m') || /^-[a-zA-Z]*m$/.test(startOf(word)),
  )
  const own =
    textOf(segment.args[at]) === '-m' || /^-[a-zA-Z]+m$/.test(textOf(segment.args[at]) ?? '')
      ? 2
      : 1
  const rest = segment.args.slice(at + own)
  if (BUILD_MODULES.has(name)) return judgeBuild(name, rest, segment)
  if (name === 'pip')
    segment.add(
      ['install', 'download', 'wheel', 'uninstall'].includes(textOf(rest[0]) ?? '')
        ? 'PACKAGE_INSTALL'
        : 'UNKNOWN_COMMAND',
    )
  if (name === 'http' || name === 'smtplib' || name === 'ftplib') segment.add('NETWORK')
  segment.add(name === '' ? 'HIDDEN_SOURCE' : 'PROGRAM_FILE')
  segment.paths(
    rest.filter((word) => !startOf(word).startsWith('-')),
    'unknown',
  )
}

function awk(): Interpreter {
  return {
    options: { values: 'FvfeiE', long: ['file', 'source', 'assign', 'field-separator'] },
    inline: ['-e', '--source'],
    programFirst: true,
    files: ['-f', '-i', '-E', '--file'],
  }
}

function judgeScript(interpreter: Interpreter, segment: Segment): void {
  judgeInterpreter(interpreter, segment)
  if (segment.name === 'perl' || segment.name === 'ruby') judgeInPlace(segment)
}

// `perl -pi -e …` changes the files it is given.
function judgeInPlace(segment: Segment): void {
  const args = parseArgs(segment.args, { values: 'eEIMmrC', attached: 'iFdDx' })
  if (!args.flags.some(({ name }) => name === '-i')) return
  segment.paths(args.operands, 'write')
}

function judgeNode(segment: Segment): void {
  const args = judgeInterpreter(NODE, segment)
  if (hazardIn(args, BUILD_HAZARDS.node)) segment.add('HAZARD_FLAG')
}

function judgeSourced(segment: Segment): void {
  const [file, ...rest] = segment.args
  if (file === undefined) return segment.add('HIDDEN_SOURCE')
  judgeProgramFile(file, segment)
  segment.paths(rest, 'unknown')
}

const SHELL_FLAGS = { values: 'oO', long: ['rcfile', 'init-file'], stops: true }

function judgeShell(segment: Segment): void {
  segment.mark('other')
  if (segment.redirects.socket) segment.add('REMOTE_SHELL')
  const { flags, text, rest, hazard } = readShell(segment.args)
  if (hazard) segment.add('HAZARD_FLAG')
  if (flags.includes('c')) {
    segment.add('INLINE_SOURCE')
    if (text === undefined) return segment.add('HIDDEN_SOURCE')
    return segment.nest(text, rest)
  }
  const [script, ...operands] = rest
  if (script !== undefined && !flags.includes('s') && textOf(script) !== '-') {
    judgeProgramFile(script, segment)
    return segment.paths(operands, 'unknown')
  }
  segment.event('shell')
  const { stdin } = segment.context
  if (stdin.kind === 'text') {
    segment.add('INLINE_SOURCE')
    segment.nest(stdin.text)
  } else judgeStandardInput(segment)
  if (stdin.kind === 'pipe' && stdin.text !== undefined) segment.nest(stdin.text)
}

interface ShellArgs {
  readonly flags: string
  readonly text: ShellWord | undefined
  readonly rest: readonly ShellWord[]
  readonly hazard: boolean
}

// `-c` takes the first operand, wherever the flags end.
function readShell(args: readonly ShellWord[]): ShellArgs {
  const parsed = parseArgs(args.map(plusToMinus), SHELL_FLAGS)
  const letters = parsed.flags.flatMap(({ name }) => (name.startsWith('--') ? [] : [name.slice(1)]))
  const flags = letters.join('')
  const hazard = parsed.flags.some(({ name }) => name === '--rcfile' || name === '--init-file')
  if (!flags.includes('c')) return { flags, text: undefined, rest: parsed.operands, hazard }
  const [text, ...rest] = parsed.operands
  return { flags, text, rest, hazard }
}

function plusToMinus(word: ShellWord): ShellWord {
  const start = startOf(word)
  if (!start.startsWith('+') || start.length < 2) return word
  // `+o name` takes a value as `-o` does; other letters switch something off.
  const letters = start.slice(1).replaceAll('c', '')
  return { ...restOf(word, start.length), atoms: [`-${letters}`, ...word.atoms.slice(1)] }
}

/** A remote package or file that `deno` or `bun` runs. */
export function judgeRuntime(segment: Segment): void {
  const [sub, ...rest] = segment.args
  const name = textOf(sub)
  const plain = rest.filter((word) => !startOf(word).startsWith('-'))
  segment.mark('other')
  if (name === 'eval' || name === '-e' || name === '--eval' || name === '-p') {
    segment.add('INLINE_SOURCE')
    return judgeEvaluated(rest, segment)
  }
  if (name === 'run') {
    const [file, ...more] = plain
    if (file === undefined) return segment.add('HIDDEN_SOURCE')
    if (/^(?:https?|npm|jsr):/.test(startOf(file))) segment.add('HIDDEN_SOURCE')
    else judgeProgramFile(file, segment)
    return segment.paths(more, 'unknown')
  }
  if (sub !== undefined && /[./]/.test(startOf(sub))) {
    judgeProgramFile(sub, segment)
    return segment.paths(plain, 'unknown')
  }
  if (sub === undefined) return judgeStandardInput(segment)
  judgeUnknown(segment)
}

function judgeEvaluated(rest: readonly ShellWord[], segment: Segment): void {
  const interpreter: Interpreter = { options: {}, inline: [], programFirst: true }
  judgeInterpreter(interpreter, { ...segment, args: rest })
}
