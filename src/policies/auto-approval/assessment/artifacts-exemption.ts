import type { ArtifactView } from '../assessor-types.ts'
import type { Ground } from '../paths/ground.ts'
import { isInRoots } from '../paths/judge.ts'
import { literalPlace, toPlace } from '../paths/place.ts'
import type { LineVerdict } from '../shell/judge-line.ts'
import type { FileFacts } from '../assessor-types.ts'

const MAX_ENTRIES = 10_000

export interface Ownership {
  readonly artifacts: ArtifactView
  readonly root: string
  readonly ground: Ground
  readonly folder: string
}

/** Whether a line deletes nothing but what the calls of its root session made. */
export function deletesOnlyOwn({ line }: LineVerdict, ownership: Ownership): boolean {
  const { deletions, kinds } = line
  if (deletions.paths.length === 0 || deletions.spoiled) return false
  if (kinds.some((kind) => kind === 'other')) return false
  if (ownership.artifacts.isBusy(ownership.root)) return false
  return deletions.paths.every((path) => isOwnPath(path, ownership))
}

function isOwnPath(path: string, ownership: Ownership): boolean {
  const { ground, folder } = ownership
  const place = toPlace([path], { folder, home: ground.home })
  if (place?.literal === undefined) return false
  const found = ground.resolver.resolve(place.literal)
  if (
    found.kind === 'failed' ||
    found.file === undefined ||
    found.path !== realSpelling(place.literal, ground)
  )
    return false
  if (!isInRoots(literalPlace(found.path).segments, ground.workRoots)) return false
  return isOwnTree(found.path, found.file, ownership)
}

// An operand that is itself a link is deleted as a link, so its own entry would have to be known.
function realSpelling(path: string, ground: Ground): string {
  const parent = path.slice(0, path.lastIndexOf('/')) || '/'
  const found = ground.resolver.resolve(parent)
  const folder = found.kind === 'resolved' ? found.path : parent
  return `${folder === '/' ? '' : folder}${path.slice(path.lastIndexOf('/'))}`
}

function isOwnTree(path: string, file: FileFacts, ownership: Ownership): boolean {
  const { ground } = ownership
  const pending = [{ path, file }]
  let left = MAX_ENTRIES
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!isOwnEntry(next.file, file.identity.device, ownership)) return false
    if (next.file.kind !== 'folder') continue
    const entries = ground.files.list(next.path, left)
    if (entries === undefined) return false
    left -= entries.length
    for (const entry of entries) {
      const below = `${next.path}/${entry.name}`
      const facts = look(below, ground)
      if (facts === undefined) return false
      pending.push({ path: below, file: facts })
    }
  }
  return true
}

function isOwnEntry(file: FileFacts, device: string, { artifacts, root }: Ownership): boolean {
  const { identity, kind, links } = file
  if (identity.birth === undefined || identity.device !== device) return false
  if (kind === 'file' && links !== 1) return false
  return artifacts.isOwn(root, identity)
}

function look(path: string, ground: Ground): FileFacts | undefined {
  try {
    return ground.files.lstat(path)
  } catch {
    return undefined
  }
}
