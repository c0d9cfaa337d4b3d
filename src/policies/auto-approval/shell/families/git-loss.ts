import type { ParsedArgs } from '../options.ts'
import { hasFlag } from '../options.ts'
import type { Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { startOf, textOf } from '../shell-word.ts'

const ALWAYS: ReadonlySet<string> = new Set(['rm', 'update-ref', 'filter-branch'])

/** Adds HISTORY_LOSS where work or history of a repository can go away. */
export function judgeGitLoss(
  name: string,
  args: ParsedArgs,
  rest: readonly ShellWord[],
  segment: Segment,
): void {
  if (ALWAYS.has(name) || loses(name, args, rest)) segment.add('HISTORY_LOSS')
}

function loses(name: string, args: ParsedArgs, rest: readonly ShellWord[]): boolean {
  const [first] = args.operands.map(textOf)
  const letters = rest.some((word) => /^-[A-Za-z]*f/.test(startOf(word)))
  switch (name) {
    case 'reset':
      return hasFlag(args, '--hard', '--merge', '--keep')
    case 'clean':
      return !hasFlag(args, '-n', '--dry-run')
    case 'restore':
      return !(hasFlag(args, '-S', '--staged') && !hasFlag(args, '-W', '--worktree'))
    case 'checkout':
    case 'switch':
      return (
        letters ||
        hasFlag(args, '--force', '--discard-changes', '-B', '-C', '--ours', '--theirs') ||
        rest.some(
          (word) => ['--', '.'].includes(textOf(word) ?? '') || startOf(word).startsWith('./'),
        )
      )
    case 'stash':
      return first === 'drop' || first === 'clear'
    case 'branch':
      return hasFlag(args, '-d', '-D', '--delete', '-M', '-f', '--force')
    case 'tag':
      return hasFlag(args, '-d', '--delete', '-f', '--force')
    case 'worktree':
      return first === 'remove' || first === 'prune'
    case 'reflog':
      return first === 'expire' || first === 'delete'
    case 'gc':
      return (
        hasFlag(args, '--prune', '--aggressive') &&
        args.flags.some(({ name: flag }) => flag.startsWith('--pr'))
      )
    default:
      return false
  }
}
