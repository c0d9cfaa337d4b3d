import { literalOf, toGlobAtoms } from '../../paths/atoms.ts'
import { filterAdmitsSecret } from '../../paths/names.ts'
import { toPlace } from '../../paths/place.ts'
import type { WalkOptions } from '../../paths/tree-walk.ts'
import { isCleanTree } from '../../paths/tree-walk.ts'
import type { Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, textOf, textWord } from '../shell-word.ts'

export const HERE: ShellWord = textWord('.')

/** Adds RECURSIVE_READ unless the folders below all roots are known to hold nothing secret. */
export function judgeRecursion(
  roots: readonly ShellWord[],
  options: WalkOptions,
  segment: Segment,
): void {
  if (roots.every((root) => isClean(root, options, segment))) return
  segment.add('RECURSIVE_READ')
}

/** Whether a name filter such as `*.ts` lets no secret name through. */
export function isHarmlessFilter(word: ShellWord | undefined): boolean {
  if (word === undefined || isDynamic(word)) return false
  const text = textOf(word)
  const pattern = text === undefined ? word.atoms : toGlobAtoms(text)
  // A path in a filter, or braces, means more than names.
  if (pattern.some((atom) => typeof atom === 'string' && /[/{!]/.test(atom))) return false
  return !filterAdmitsSecret(pattern)
}

function isClean(root: ShellWord, options: WalkOptions, { context }: Segment): boolean {
  if (root.isPipe) return true
  const { ground } = context.line
  const { paths, unknown } = context.place.folders
  if (unknown || literalOf(root.atoms) === undefined) return isFileOnly(root)
  return paths.every((folder) => {
    const place = toPlace(root.atoms, { folder, home: ground.home })
    return place?.literal !== undefined && isCleanTree(place.literal, options, ground)
  })
}

// `src/*.ts` names files; a folder of such a name is not what anybody means.
function isFileOnly(root: ShellWord): boolean {
  if (isDynamic(root)) return false
  const last = root.atoms.at(-1)
  return typeof last === 'string' && /^\.\w+$/.test(last)
}
