import type { AssessorOptions, AssessorSettings, FileView } from '../assessor-types.ts'
import { REAL_FILES } from './file-view.ts'
import { foldName } from '../../../sandbox/fold-name.ts'
import type { Places, Tree } from './places.ts'
import { createPlaces, isWithin, toTree } from './places.ts'
import type { Resolver } from './resolve.ts'
import { createResolver } from './resolve.ts'

/** What paths are judged against during one call: live settings and real folders. */
export interface Ground {
  readonly settings: AssessorSettings
  readonly files: FileView
  readonly resolver: Resolver
  readonly home: string
  readonly stateDir: string
  readonly tempRoot: string | undefined
  readonly places: Places
  readonly state: readonly Tree[]
  /** Files that policy was read from, and the running installation. */
  readonly own: { readonly policy: readonly Tree[]; readonly install: readonly Tree[] }
  /** Roots in which a call moves freely, in every spelling; compared exactly. */
  readonly routine: readonly (readonly string[])[]
  /** Of these, those in which what a call made may be planned. */
  readonly workRoots: readonly (readonly string[])[]
  readonly protectedNames: ReadonlySet<string>
  /** Routine roots and home, each with the critical trees it is cut out of. */
  readonly cutouts: readonly Tree[]
  /** Folders that were walked for this call, and how many entries may still be listed. */
  readonly walks: { readonly known: Map<string, boolean>; left: number }
}

// One walk goes to 20 000 entries; a line with many of them does not go on for ever.
const MAX_WALKED = 60_000

/** Makes the ground of a call. The workspace is resolved afresh each time. */
export function createGround(options: AssessorOptions, cwd: string): Ground {
  const settings = options.settings()
  const files = options.files ?? REAL_FILES
  const resolver = createResolver(files)
  const spell = (paths: readonly string[]): readonly string[] => spellings(resolver, paths)
  const homes = spell([options.home])
  const work = spell([cwd, ...options.tempRoots])
  const routine = [...work, ...spell(settings.trustedDirs)]
  const install = options.installDir === undefined ? [] : [options.installDir]
  return {
    settings,
    files,
    resolver,
    home: options.home,
    stateDir: options.stateDir,
    tempRoot: options.tempRoots[0],
    places: createPlaces(homes),
    state: spell([options.stateDir]).map(toTree),
    own: { policy: spell(settings.policyFiles).map(toTree), install: spell(install).map(toTree) },
    routine: routine.map(toNames),
    workRoots: work.map(toNames),
    protectedNames: new Set(settings.protectedNames.map(foldName)),
    cutouts: [...routine, ...homes].map(toTree),
    walks: { known: new Map(), left: MAX_WALKED },
  }
}

/** Whether a path lies in a critical tree, and in no root that itself lies in that tree. */
export function isCritical(path: Parameters<typeof isWithin>[0], ground: Ground): boolean {
  return ground.places.critical.some(
    (tree) =>
      isWithin(path, tree) &&
      !ground.cutouts.some((root) => isWithin(root, tree) && isWithin(path, root)),
  )
}

function spellings(resolver: Resolver, paths: readonly string[]): readonly string[] {
  const all = new Set<string>()
  for (const path of paths) {
    all.add(path)
    const found = resolver.resolve(path)
    if (found.kind === 'resolved') all.add(found.path)
  }
  return [...all]
}

function toNames(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '')
}
