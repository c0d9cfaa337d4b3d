import type { BigIntStats, Dirent } from 'node:fs'
import { lstatSync, opendirSync, readlinkSync, realpathSync } from 'node:fs'
import type { FileFacts, FileView, ListedEntry } from '../assessor-types.ts'

/** The file system itself. Every path is absolute, so the process's own cwd plays no part. */
export const REAL_FILES: FileView = {
  lstat: (path) => orMissing(() => toFacts(lstatSync(path, { bigint: true }))),
  realpath: (path) => orMissing(() => realpathSync.native(path)),
  readlink: (path) => readlinkSync(path),
  list: listFolder,
}

function orMissing<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

function toFacts(stats: BigIntStats): FileFacts {
  const birth = stats.birthtimeNs
  return {
    kind: kindOf(stats),
    links: Number(stats.nlink),
    identity: {
      device: String(stats.dev),
      inode: String(stats.ino),
      ...(birth > 0n ? { birth: String(birth) } : {}),
    },
  }
}

function listFolder(path: string, limit: number): readonly ListedEntry[] | undefined {
  try {
    const folder = opendirSync(path, { bufferSize: Math.min(limit, 512) })
    try {
      const entries: ListedEntry[] = []
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        if (entries.length >= limit) return undefined
        entries.push({ name: entry.name, kind: kindOf(entry) })
      }
      return entries
    } finally {
      folder.closeSync()
    }
  } catch {
    // A folder that cannot be read is one whose content is not known.
    return undefined
  }
}

function kindOf(entry: BigIntStats | Dirent): FileFacts['kind'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}
