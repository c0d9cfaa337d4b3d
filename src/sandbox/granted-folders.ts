import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import { pathInside } from '../loader/package-path.ts'
import type { FsGrant } from '../types/profile.ts'
import type { Bind } from './bwrap-args.ts'
import { identify } from './file-identity.ts'
import { parsePathPattern, type RootName } from './path-pattern.ts'

/** A part of a root that a program is given whole. */
export interface GrantedFolder {
  readonly root: RootName
  /** Below the root; empty for the root itself. May be a file. */
  readonly path: string
  readonly writable: boolean
}

/** Absolute real paths of the folders of the host that a program can be shown. */
export type RootFolders = Readonly<Record<RootName, string>>

const MAGIC = /[*?[\]{}()!+@]/
const WHOLE = '**'

/**
 * What a grant means for a program with a file system of its own: folders, or single files. Throws
 * `CONFIG_INVALID` for a glob that no mount can follow.
 */
export function toGrantedFolders(grant: FsGrant | undefined): GrantedFolder[] {
  if (grant === undefined) return []
  const folders = [
    ...grant.read.map((text) => toFolder(text, false)),
    ...grant.write.map((text) => toFolder(text, true)),
  ]
  // What lies deeper is mounted later, and a write grant after a read grant for the same folder.
  return folders.toSorted((a, b) => depth(a) - depth(b) || Number(a.writable) - Number(b.writable))
}

/**
 * Where the granted folders are right now. What is missing is left out; what leads out of its root by
 * a link is `FS_SANDBOX_DENIED`.
 */
export async function locateFolders(
  folders: readonly GrantedFolder[],
  roots: RootFolders,
): Promise<Bind[]> {
  const binds: Bind[] = []
  for (const { root, path, writable } of folders) {
    const top = await realpathOf(roots[root])
    const from = await realpathOf(join(roots[root], path))
    if (top === undefined || from === undefined) continue
    if (from !== top && pathInside(top, from) === undefined) throw leadsOut(root, path)
    // Whoever writes there may put a link in its place from now on.
    const identity = await identify(from)
    if (identity === undefined) throw leadsOut(root, path)
    binds.push({ from, to: join(`/${root}`, path), writable, identity })
  }
  return binds
}

function leadsOut(root: RootName, path: string): CaissonError {
  const shown = `${root}:/${path}`
  return new CaissonError('FS_SANDBOX_DENIED', `${shown} leads out of its root`, { path: shown })
}

function toFolder(text: string, writable: boolean): GrantedFolder {
  const { root, glob } = parsePathPattern(text)
  const path = glob === WHOLE ? '' : glob.replace(/\/\*\*$/, '')
  if (MAGIC.test(path)) {
    const why = 'a program is given whole folders (dir/**) or single files'
    throw new CaissonError('CONFIG_INVALID', `'${text}' cannot be granted to a program: ${why}`)
  }
  return { root, path, writable }
}

function depth({ path }: GrantedFolder): number {
  return path === '' ? 0 : path.split('/').length
}

async function realpathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch {
    return undefined // Nothing there: nothing to show.
  }
}
