import { normalize } from 'node:path'
import { CaissonError } from '../../../errors/caisson-error.ts'
import { createPlaces, isAtOrAbove, isWithin, toTree, type Tree } from '../paths/places.ts'

/**
 * Throws `CONFIG_INVALID` for a trusted folder that is the root or the home folder, or overlaps the
 * state folder, a store of credentials or a tree the system depends on.
 */
export function checkTrustedDirs(
  dirs: readonly string[],
  { home, stateDir }: { readonly home: string; readonly stateDir: string },
): void {
  const places = createPlaces([home])
  const refused: readonly (readonly [string, readonly Tree[]])[] = [
    ['the state folder', [toTree(stateDir)]],
    ['a store of credentials', places.stores],
    ['a tree the system depends on', places.critical],
  ]
  const homes = toTree(home)
  const problems = dirs.flatMap((dir, index) => {
    const tree = toTree(normalize(dir))
    const what =
      tree.length === 0 || isAtOrAbove(tree, homes)
        ? 'the root or the home folder'
        : refused.find(([, trees]) => trees.some((other) => overlaps(tree, other)))?.[0]
    return what === undefined ? [] : [`approval.trustedDirs.${index}: '${dir}' overlaps ${what}`]
  })
  if (problems.length === 0) return
  throw new CaissonError('CONFIG_INVALID', problems.join('; '), { violations: problems })
}

function overlaps(tree: Tree, other: Tree): boolean {
  return isWithin(tree, other) || isAtOrAbove(tree, other)
}
