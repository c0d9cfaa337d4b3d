import { isSecretPath } from '../../../loader/secret-names.ts'
import type { FileView, ListedEntry } from '../assessor-types.ts'
import type { Segment } from './atoms.ts'
import { foldName } from '../../../sandbox/fold-name.ts'
import { couldBe } from './match.ts'
import { couldBeKeyFile } from './names.ts'

const MAX_ENTRIES = 1000

/**
 * Whether a pattern stands for a key file that is there. A folder that cannot be read, or more entries
 * than the limit, counts as a match; so does a pattern of which nobody knows where it lies.
 */
export function couldBeInKeyFiles(
  look: { readonly segments: readonly Segment[]; readonly floating: boolean },
  files: FileView,
): boolean {
  const last = look.segments.at(-1)
  if (last === undefined || !couldBeKeyFile(last)) return false
  if (typeof last === 'string' || look.floating) return true
  const matches = listMatches(look.segments, files)
  return (
    matches === undefined ||
    matches.some((path) => isSecretPath(path.slice(path.lastIndexOf('/') + 1)))
  )
}

/** The paths that a pattern stands for now; undefined when they cannot be listed or are too many. */
export function listMatches(
  segments: readonly Segment[],
  files: FileView,
): readonly string[] | undefined {
  return search({ files, left: MAX_ENTRIES }, '', segments)
}

interface Budget {
  readonly files: FileView
  left: number
}

function search(
  budget: Budget,
  folder: string,
  names: readonly Segment[],
): readonly string[] | undefined {
  const [name, ...rest] = names
  if (name === undefined) return [folder]
  if (typeof name === 'string') return search(budget, `${folder}/${name}`, rest)
  const entries = list(budget, folder === '' ? '/' : folder)
  const found: string[] = []
  for (const entry of entries ?? []) {
    if (!couldBe(name, foldName(entry.name)) || (rest.length > 0 && entry.kind === 'file')) continue
    const below = search(budget, `${folder}/${entry.name}`, rest)
    if (below === undefined) return undefined
    found.push(...below)
  }
  return entries === undefined ? undefined : found
}

// Nothing there is an empty listing: the pattern then stands for itself.
function list(budget: Budget, folder: string): readonly ListedEntry[] | undefined {
  try {
    if (budget.files.lstat(folder) === undefined) return []
  } catch {
    return undefined
  }
  const entries = budget.files.list(folder, budget.left)
  budget.left -= entries?.length ?? 0
  return entries
}
