import { isSecretPath } from '../../../loader/secret-names.ts'
import type { ListedEntry } from '../assessor-types.ts'
import type { Ground } from './ground.ts'
import { isInRoots } from './judge.ts'
import { isProtectedName } from './names.ts'
import { literalPlace } from './place.ts'

const MAX_ENTRIES = 20_000

export interface WalkOptions {
  /** Names that begin with a dot are passed over. */
  readonly skipsDots: boolean
  /** A link inside is followed by the reader, so nobody knows what it reads. */
  readonly followsLinks: boolean
}

/**
 * Whether everything below a literal path was listed, lies in routine position and has neither a
 * secret nor a protected name. A file is judged by whoever names it.
 */
export function isCleanTree(path: string, options: WalkOptions, ground: Ground): boolean {
  const found = ground.resolver.resolve(path)
  if (found.kind === 'failed') return false
  if (!isInRoots(literalPlace(found.path).segments, ground.routine)) return false
  if (found.file?.kind !== 'folder') return true
  const key = `${options.skipsDots} ${options.followsLinks} ${found.path}`
  const known = ground.walks.known.get(key) ?? walk(found.path, options, ground)
  ground.walks.known.set(key, known)
  return known
}

function walk(path: string, options: WalkOptions, ground: Ground): boolean {
  const pending = [path]
  let left = Math.min(MAX_ENTRIES, ground.walks.left)
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = ground.files.list(folder, left)
    if (entries === undefined) return false
    left -= entries.length
    ground.walks.left -= entries.length
    for (const entry of entries) {
      if (options.skipsDots && entry.name.startsWith('.')) continue
      if (!isClean(entry, options, ground)) return false
      if (entry.kind === 'folder') pending.push(`${folder}/${entry.name}`)
    }
  }
  return true
}

function isClean({ name, kind }: ListedEntry, options: WalkOptions, ground: Ground): boolean {
  if (isSecretPath(name) || isProtectedName(name, ground.protectedNames)) return false
  return !(kind === 'link' && options.followsLinks)
}
