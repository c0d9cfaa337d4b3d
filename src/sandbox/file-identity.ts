import type { BigIntStats } from 'node:fs'
import { constants } from 'node:fs'
import { open, readdir, readlink, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Which file or folder it is, whatever it is called. */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

/** Opens a place without reading what is there: no permission is needed, and nothing waits. */
const O_PATH = 0o10000000
const PERMISSIONS = 0o777

/** A file or folder held open: it stays the same one, whatever becomes of its path. */
export interface OpenPlace {
  readonly identity: FileIdentity
  /** A path that means this name in this very folder. */
  at(name: string): string
  close(): Promise<void>
}

/**
 * Opens what is at an absolute path that has no link in it; undefined when there is nothing, or a link
 * by now. Linux only.
 */
export async function openPlace(path: string): Promise<OpenPlace | undefined> {
  const handle = await open(path, O_PATH | constants.O_NOFOLLOW).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const { dev, ino, mode } = await handle.stat({ bigint: true })
    const isLink = (Number(mode) & constants.S_IFMT) === constants.S_IFLNK
    if (!isLink && (await readlink(`/proc/self/fd/${handle.fd}`)) === path) {
      const at = (name: string): string => `/proc/self/fd/${handle.fd}/${name}`
      return { identity: { dev, ino }, at, close: () => handle.close() }
    }
  } catch {
    // It has gone while it was looked at.
  }
  await handle.close()
  return undefined
}

/** Which file or folder is at such a path. */
export async function identify(path: string): Promise<FileIdentity | undefined> {
  const place = await openPlace(path)
  await place?.close()
  return place?.identity
}

/** Whether `path`, as process `pid` sees it, is that very file or folder. */
export async function isAt(pid: number, path: string, identity: FileIdentity): Promise<boolean> {
  try {
    const { dev, ino }: BigIntStats = await stat(`/proc/${pid}/root${path}`, { bigint: true })
    return dev === identity.dev && ino === identity.ino
  } catch {
    return false
  }
}

/** Whether `path`, as process `pid` sees it, is something that nobody can open. */
export async function isClosedAt(pid: number, path: string): Promise<boolean> {
  try {
    const stats = await stat(`/proc/${pid}/root${path}`)
    return stats.isCharacterDevice() || (stats.isDirectory() && (stats.mode & PERMISSIONS) === 0)
  } catch {
    return false
  }
}

/** Whether `path`, as process `pid` sees it, is a mount of its own that holds nothing. */
export async function isEmptyAt(pid: number, path: string): Promise<boolean> {
  const seen = `/proc/${pid}/root${path}`
  try {
    const [here, above, names] = await Promise.all([stat(seen), stat(dirname(seen)), readdir(seen)])
    return here.isDirectory() && here.dev !== above.dev && names.length === 0
  } catch {
    return false
  }
}
