import { baseName } from '../effective.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isOpen, startOf, textOf, UNKNOWN_WORD } from '../shell-word.ts'
import { isChecksum, READER_FAMILIES } from './readers.ts'
import { HERE, isHarmlessFilter, judgeRecursion } from './recursion.ts'
import { SEARCH_FAMILIES } from './search.ts'

/** `find`: its roots, what its actions write, and what they run. */
export const FIND_FAMILIES: Families = { find: judgeFind, gfind: judgeFind }

const DELETERS: ReadonlySet<string> = new Set(['rm', 'rmdir', 'unlink', 'shred'])
const EXECUTORS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const WRITERS: ReadonlySet<string> = new Set(['-fprint', '-fprint0', '-fprintf', '-fls'])
const LEADING = /^-(?:[HLPE]|D\w*|O\d*)$/

function judgeFind(segment: Segment): void {
  segment.mark('meta')
  const { roots, expression } = splitFind(segment.args)
  segment.paths(roots, 'meta')
  for (const [index, word] of expression.entries()) {
    const text = textOf(word) ?? ''
    const value = expression[index + 1]
    if (text === '-delete') judgeDeletion(roots, segment)
    else if (WRITERS.has(text) && value !== undefined) segment.path(value, 'write')
    else if (
      (text === '-newer' || text === '-samefile' || text === '-files0-from') &&
      value !== undefined
    )
      segment.path(value, 'read')
    else if (EXECUTORS.has(text))
      judgeExecution(roots, expression.slice(index + 1), { segment, expression })
    // What a variable puts into an expression can delete or run.
    else if (isOpen(word) && word.splits) segment.add('HAZARD_FLAG')
  }
  segment.settle('ROUTINE_READ')
}

function splitFind(args: readonly ShellWord[]): {
  readonly roots: readonly ShellWord[]
  readonly expression: readonly ShellWord[]
} {
  const from = args.findIndex((word) => !LEADING.test(textOf(word) ?? ''))
  const words = from < 0 ? [] : args.slice(from)
  const at = words.findIndex((word) => /^(?:-.|[!(])/.test(startOf(word)))
  const roots = at < 0 ? words : words.slice(0, at)
  return { roots: roots.length > 0 ? roots : [HERE], expression: at < 0 ? [] : words.slice(at) }
}

// The folder one is in cannot be deleted itself, only what it holds.
function judgeDeletion(roots: readonly ShellWord[], segment: Segment): void {
  segment.mark('other')
  segment.context.line.deletions.spoiled = true
  segment.add('DELETE')
  const { ground } = segment.context.line
  const { paths } = segment.context.place.folders
  const workspace = ground.routine.map((names) => `/${names.join('/')}`)
  for (const root of roots) {
    const text = textOf(root)
    const here = text === '.' || text === './'
    const inside = here && paths.every((path) => workspace.includes(path))
    if (!inside && !workspace.includes((text ?? '').replace(/\/+$/, '')))
      segment.path(root, 'delete')
  }
}

interface Execution {
  readonly segment: Segment
  readonly expression: readonly ShellWord[]
}

function judgeExecution(
  roots: readonly ShellWord[],
  rest: readonly ShellWord[],
  { segment, expression }: Execution,
): void {
  const end = rest.findIndex((word) => textOf(word) === ';' || textOf(word) === '+')
  const body = end < 0 ? rest : rest.slice(0, end)
  const name = baseName(body[0]) ?? ''
  if (DELETERS.has(name)) {
    judgeDeletion(roots, segment)
    return
  }
  const changes =
    name.endsWith('sed') && body.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(startOf(word)))
  const reads =
    !changes &&
    (Object.hasOwn(READER_FAMILIES, name) ||
      Object.hasOwn(SEARCH_FAMILIES, name) ||
      isChecksum(name))
  if (reads && !isFiltered(expression))
    judgeRecursion(roots, { skipsDots: false, followsLinks: false }, segment)
  const placed = body.map((word) => (textOf(word) === '{}' ? BELOW : withoutBraces(word)))
  // A reader of files below the roots is judged by what lies there.
  segment.run(reads ? placed.filter((word) => word !== BELOW) : placed)
}

const BELOW: ShellWord = { ...UNKNOWN_WORD }

function withoutBraces(word: ShellWord): ShellWord {
  const text = textOf(word)
  return text?.includes('{}') === true ? { ...UNKNOWN_WORD, alternatives: [[text]] } : word
}

// With `-o` or a negation a name filter no longer holds for everything.
function isFiltered(expression: readonly ShellWord[]): boolean {
  const texts = expression.map((word) => textOf(word) ?? '')
  if (texts.some((text) => ['-o', '-or', '!', '-not', ','].includes(text))) return false
  return expression.some(
    (_, index) => texts[index] === '-name' && isHarmlessFilter(expression[index + 1]),
  )
}
