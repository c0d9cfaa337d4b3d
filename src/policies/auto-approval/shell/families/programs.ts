import { isRoutine } from '../../paths/judge.ts'
import { toPlace } from '../../paths/place.ts'
import type { OptionSpec, ParsedArgs } from '../options.ts'
import { hasFlag, parseArgs, valuesOf } from '../options.ts'
import type { Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { textOf } from '../shell-word.ts'
import { scanSource } from './inline-source.ts'

/** A program file that is run: known when it lies in routine position. */
export function judgeProgramFile(word: ShellWord, segment: Segment): void {
  segment.mark('other')
  if (word.isPipe) return segment.add('HIDDEN_SOURCE')
  segment.glance(word, 'read')
  segment.add(isRoutineFile(word, segment) ? 'PROGRAM_FILE' : 'HIDDEN_SOURCE')
}

function isRoutineFile(word: ShellWord, { context }: Segment): boolean {
  const { ground } = context.line
  const { paths, unknown } = context.place.folders
  if (unknown) return false
  return paths.every((folder) => {
    const place = toPlace(word.atoms, { folder, home: ground.home })
    return place?.literal !== undefined && isRoutine(place.segments, ground)
  })
}

/** How an interpreter is told what to run. */
export interface Interpreter {
  readonly options: OptionSpec
  /** Flags whose value is program text. */
  readonly inline: readonly string[]
  /** Flags whose value names a module of the language. */
  readonly modules?: readonly string[]
  /** The first operand is program text. */
  readonly programFirst?: boolean
  /** Flags whose value is a file with program text. */
  readonly files?: readonly string[]
  /** Subcommands in front of the file. */
  readonly subcommands?: readonly string[]
}

/** What an interpreter runs, and what it is given. */
export function judgeInterpreter(interpreter: Interpreter, segment: Segment): ParsedArgs {
  segment.mark('other')
  const args = parseArgs(segment.args, { ...interpreter.options, stops: true })
  const texts = valuesOf(args, ...interpreter.inline)
  const files = valuesOf(args, ...(interpreter.files ?? []))
  const inlined = hasFlag(args, ...interpreter.inline)
  if (inlined) judgeInline(texts, segment)
  for (const file of files) judgeProgramFile(file, segment)
  if (inlined || files.length > 0) {
    segment.paths(args.operands, 'unknown')
    return args
  }
  if (interpreter.modules !== undefined && hasFlag(args, ...interpreter.modules)) return args
  judgeSource(interpreter, args.operands, segment)
  return args
}

function judgeSource(
  interpreter: Interpreter,
  operands: readonly ShellWord[],
  segment: Segment,
): void {
  const sub = interpreter.subcommands?.includes(textOf(operands[0]) ?? '') === true
  const [program, ...rest] = sub ? operands.slice(1) : operands
  if (program === undefined || textOf(program) === '-') judgeStandardInput(segment)
  else if (interpreter.programFirst === true) judgeInline([program], segment)
  else judgeProgramFile(program, segment)
  segment.paths(rest, 'unknown')
}

// Not parsed; its tokens are looked at.
function judgeInline(texts: readonly ShellWord[], segment: Segment): void {
  segment.add('INLINE_SOURCE')
  for (const text of texts) scanSource(text, segment)
}

/** A program that reads its text from standard input. */
export function judgeStandardInput(segment: Segment): void {
  const { stdin } = segment.context
  if (stdin.kind === 'text') judgeInline([stdin.text], segment)
  else segment.add('HIDDEN_SOURCE')
  if (stdin.kind === 'pipe' && stdin.text !== undefined) scanSource(stdin.text, segment)
}
