import type { Argument, Command, Option } from 'commander'

/** What may stand in a place: words that are known, a file, or something nobody can guess. */
export type Guess =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' }
  | { readonly kind: 'free' }

export interface OptionShape {
  /** As typed: `-h`, `--help`. */
  readonly flags: readonly string[]
  readonly text: string
  /** What its value may be; undefined when it takes none. */
  readonly value: Guess | undefined
}

/** One command, or a command of a command. */
export interface CommandShape {
  /** The names that lead to it, such as `/bench/compare`; empty for the program. */
  readonly path: string
  readonly text: string
  readonly commands: readonly { readonly name: string; readonly text: string }[]
  readonly options: readonly OptionShape[]
  /** What its arguments may be; those nobody can guess are left out. */
  readonly operands: readonly Guess[]
}

/** A program and all of its commands, the program first. `profiles` are the values of `--profile`. */
export function toShapes(program: Command, profiles: readonly string[]): CommandShape[] {
  return shapesOf(program, '', profiles)
}

const FILE = /^(?:file|source|log|settings|manifest|before|after)\b/
const FOLDER = /^(?:dir|folder)\b/

function shapesOf(command: Command, path: string, profiles: readonly string[]): CommandShape[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command).filter((inner) => inner.name() !== 'help')
  const shape: CommandShape = {
    path,
    text: toText(command.description()),
    commands: commands.map((inner) => ({ name: inner.name(), text: toText(inner.description()) })),
    options: help.visibleOptions(command).map((option) => toOption(option, profiles)),
    operands: command.registeredArguments
      .map((argument) => guessOperand(argument, command, profiles))
      .filter(({ kind }) => kind !== 'free'),
  }
  return [
    shape,
    ...commands.flatMap((inner) => shapesOf(inner, `${path}/${inner.name()}`, profiles)),
  ]
}

function toOption(option: Option, profiles: readonly string[]): OptionShape {
  const { short, long, argChoices, flags } = option
  const takesValue = option.required || option.optional
  const [, placeholder = ''] = /[<[]([^>\]]+)/.exec(flags) ?? []
  const given = [short, long].filter((flag) => flag !== undefined && flag !== null)
  return {
    flags: given,
    text: toText(option.description),
    value: takesValue
      ? guess(placeholder, argChoices, long === '--profile' ? profiles : [])
      : undefined,
  }
}

function guessOperand(argument: Argument, command: Command, profiles: readonly string[]): Guess {
  const name = argument.name()
  const isProfile = name === 'profile' || (name === 'name' && command.name() === 'profiles')
  return guess(name, argument.argChoices, isProfile ? profiles : [])
}

function guess(
  placeholder: string,
  choices: readonly string[] | undefined,
  known: readonly string[],
): Guess {
  const words = choices ?? known
  if (words.length > 0) return { kind: 'words', words }
  if (FOLDER.test(placeholder)) return { kind: 'folders' }
  return { kind: FILE.test(placeholder) ? 'files' : 'free' }
}

// One line that no shell reads anything into.
function toText(text: string): string {
  return text.replaceAll(/[\s`$\\"]+/g, ' ').trim()
}
