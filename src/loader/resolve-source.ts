import { existsSync, realpathSync, statSync, type Stats } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { loadFailed } from './load-failed.ts'
import { MODULE_EXTENSIONS, resolvePackageEntry } from './package-entry.ts'
import { pathInside } from './package-path.ts'
import { isNeverBundled } from './secret-names.ts'

/** How the file of a command tool is called. */
export const COMMAND_SUFFIX = '.tool.json'

/** A module file, command manifest or package directory found on disk. Absolute real paths; `root` holds `entry`. */
export interface ResolvedSource {
  /** What the operator wrote. */
  readonly source: string
  readonly root: string
  readonly entry: string
}

/**
 * Finds the file to load. The root of a module file is the folder of the nearest package.json above
 * it, else its own folder. Throws `LOAD_FAILED` saying what is wrong with the source.
 */
export function resolveSource(source: string, cwd: string): ResolvedSource {
  if (source === '') throw loadFailed(source, ['the source is empty'])
  const path = resolve(cwd, source)
  const stats = statOrFail(source, path)
  return stats.isDirectory() ? resolvePackage(source, path) : resolveModule(source, path, stats)
}

function resolvePackage(source: string, path: string): ResolvedSource {
  const folder = realpathSync(path)
  const found = resolvePackageEntry(folder)
  if (found.kind === 'failed') throw loadFailed(source, [found.reason])
  return confine(source, nearestPackage(folder) ?? folder, found.path)
}

function resolveModule(source: string, path: string, stats: Stats): ResolvedSource {
  if (!stats.isFile()) throw loadFailed(source, ['it is neither a file nor a directory'])
  const own = realpathSync(dirname(path))
  if (path.endsWith(COMMAND_SUFFIX)) return confine(source, nearestPackage(own) ?? own, path)
  const extension = extname(path).toLowerCase()
  if (extension === '.node') {
    throw loadFailed(source, ['native code runs only in the process engine'])
  }
  if (!MODULE_EXTENSIONS.includes(extension)) {
    const known = MODULE_EXTENSIONS.join(' ')
    throw loadFailed(source, [`${basename(path)} is no module file (${known}) and no directory`])
  }
  return confine(source, nearestPackage(own) ?? own, path)
}

// The link itself may lie inside the root; what counts is where it ends.
function confine(source: string, root: string, path: string): ResolvedSource {
  const entry = realpathSync(path)
  const inside = pathInside(root, entry)
  if (inside === undefined) throw loadFailed(source, ["its entry leads out of the tool's folder"])
  if (isNeverBundled(inside)) throw loadFailed(source, [`${inside} is named like a secret`])
  return { source, root, entry }
}

function nearestPackage(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    // A package.json at the top of the disk must not turn the disk into a tool's folder.
    if (dirname(at) === at) return undefined
    if (existsSync(join(at, 'package.json'))) return at
  }
}

function statOrFail(source: string, path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    const { code } = Object(error) as { code?: string }
    const missing = code === 'ENOENT' || code === 'ENOTDIR'
    throw loadFailed(source, [
      missing ? 'no such file or directory' : `it cannot be read (${code})`,
    ])
  }
}
