import type { FileView, ListedEntry } from '../assessor-types.ts'
import type { Segment } from './atoms.ts'
import { couldBe, foldName } from './match.ts'
import { couldBeKeyFile, isSecretName } from './names.ts'

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
  return search({ files, left: MAX_ENTRIES }, '', look.segments)
}

interface Budget {
  readonly files: FileView
  left: number
}

function search(budget: Budget, folder: string, names: readonly Segment[]): boolean {
  const [name, ...rest] = names
  if (name === undefined) return false
  if (typeof name === 'string' && rest.length > 0) return search(budget, `${folder}/${name}`, rest)
  const entries = list(budget, folder === '' ? '/' : folder)
  if (entries === undefined) return true
  const hits = entries.filter((entry) => couldBe(name, foldName(entry.name)))
  if (rest.length === 0) return hits.some((entry) => isSecretName(entry.name))
  return hits
    .filter((entry) => entry.kind !== 'file')
    .some((entry) => search(budget, `${folder}/${entry.name}`, rest))
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
