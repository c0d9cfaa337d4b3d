import type { Ground } from './ground.ts'
import { isInRoots } from './judge.ts'
import { isProtectedName, isSecretName } from './names.ts'
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
  const pending = [found.path]
  let left = MAX_ENTRIES
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = ground.files.list(folder, left)
    if (entries === undefined) return false
    left -= entries.length
    for (const { name, kind } of entries) {
      if (options.skipsDots && name.startsWith('.')) continue
      if (isSecretName(name) || isProtectedName(name, ground.protectedNames)) return false
      if (kind === 'link' && options.followsLinks) return false
      if (kind === 'folder') pending.push(`${folder}/${name}`)
    }
  }
  return true
}
