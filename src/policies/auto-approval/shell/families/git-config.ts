import type { ParsedArgs } from '../options.ts'
import { hasFlag, valuesOf } from '../options.ts'
import type { Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { startOf, textOf } from '../shell-word.ts'

/** `git config`: reading shows what is protected, writing changes what later commands run. */
export function judgeGitConfig(
  args: ParsedArgs,
  rest: readonly ShellWord[],
  segment: Segment,
): void {
  const [first] = args.operands.map(textOf)
  const plain = rest.filter((word) => !startOf(word).startsWith('-'))
  const reads =
    hasFlag(args, '--get', '--get-all', '--get-regexp', '--get-urlmatch', '-l', '--list') ||
    first === 'get' ||
    first === 'list' ||
    (plain.length === 1 &&
      !hasFlag(
        args,
        '--unset',
        '--unset-all',
        '--add',
        '--replace-all',
        '-e',
        '--edit',
        '--remove-section',
        '--rename-section',
      ))
  segment.add(reads ? 'PROTECTED_READ' : 'PROTECTED_WRITE')
  segment.paths(valuesOf(args, '-f', '--file'), reads ? 'read' : 'write')
}
