import { dirname, join, resolve as resolvePath } from 'node:path/posix'
import type { FileFacts, FileView } from '../assessor-types.ts'

/** Where a path really leads. */
export type Resolution =
  | { readonly kind: 'resolved'; readonly path: string; readonly file: FileFacts | undefined }
  | { readonly kind: 'failed' }

/** Resolves paths for one call; each path is looked at once. */
export interface Resolver {
  /** Real path of the deepest existing ancestor plus the remaining names. */
  resolve(path: string): Resolution
  /** How the kernel reads `..`: links before it are followed first. Undefined when that fails. */
  climb(names: readonly string[]): string | undefined
}

const MAX_LINKS = 40

/** A resolver with a memory of its own. */
export function createResolver(files: FileView): Resolver {
  const known = new Map<string, Resolution>()
  const resolve = (path: string): Resolution => {
    const before = known.get(path)
    if (before !== undefined) return before
    const found = resolveFresh(files, path)
    known.set(path, found)
    return found
  }
  return { resolve, climb: (names) => climb(resolve, names) }
}

function resolveFresh(files: FileView, path: string): Resolution {
  try {
    const real = realOf(files, path)
    if (real === undefined) return { kind: 'failed' }
    return { kind: 'resolved', path: real, file: files.lstat(real) }
  } catch {
    // Too many links, no permission, an input error: where it leads cannot be told.
    return { kind: 'failed' }
  }
}

function realOf(files: FileView, path: string): string | undefined {
  let current = path
  for (let followed = 0; followed <= MAX_LINKS; followed += 1) {
    const { ancestor, rest } = deepest(files, current)
    const [next, ...later] = rest
    if (next === undefined) return ancestor
    const entry = join(ancestor, next)
    if (files.lstat(entry)?.kind !== 'link') return join(ancestor, ...rest)
    // A link to nothing: what is written through it appears where it points.
    current = join(resolvePath(ancestor, files.readlink(entry)), ...later)
  }
  return undefined
}

function deepest(
  files: FileView,
  path: string,
): { readonly ancestor: string; readonly rest: readonly string[] } {
  const rest: string[] = []
  let current = path
  for (;;) {
    const real = files.realpath(current)
    if (real !== undefined) return { ancestor: real, rest: rest.toReversed() }
    if (current === '/') return { ancestor: '/', rest: rest.toReversed() }
    rest.push(current.slice(current.lastIndexOf('/') + 1))
    current = dirname(current)
  }
}

function climb(
  resolve: (path: string) => Resolution,
  names: readonly string[],
): string | undefined {
  let current = '/'
  for (const name of names) {
    if (name !== '..') {
      current = join(current, name)
      continue
    }
    const found = resolve(current)
    if (found.kind === 'failed') return undefined
    current = dirname(found.path)
  }
  return current
}
