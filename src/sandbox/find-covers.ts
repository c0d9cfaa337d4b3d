import type { Dirent } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { isHiddenInPackage, isSecretPath } from '../loader/secret-names.ts'
import type { Bind, Cover } from './bwrap-args.ts'
import { identify } from './file-identity.ts'
import { isProtectedPath } from './protected-names.ts'

/** More names than this are not looked through, and what was not looked through is not shown. */
const MAX_ENTRIES = 20_000
/** Other people's published files; a secret of the operator's is not among them. */
const SKIPPED = 'node_modules'
/** Where a program has the files of its own tool. */
const PACKAGE = '/package'
/** Folders come and go where others work. */
const TRIES = 3

/**
 * What has to be covered below the mounted folders: files that are secret by their name, and in
 * writable folders what other programs obey. Throws `FS_SANDBOX_DENIED` when there are too many files
 * to look through.
 */
export async function findCovers(binds: readonly Bind[]): Promise<Cover[]> {
  for (let tries = TRIES; ; tries -= 1) {
    try {
      return await lookThrough(binds)
    } catch (error) {
      if (tries === 1 || !isCaissonError(error) || error.facts['moved'] !== true) throw error
    }
  }
}

async function lookThrough(binds: readonly Bind[]): Promise<Cover[]> {
  const found = new Map<string, Cover>()
  let left = MAX_ENTRIES
  const walk = async (bind: Bind, below: string): Promise<void> => {
    const parent = await identify(join(bind.from, below))
    // Whoever moves folders about while they are looked through would hide what is in them.
    if (parent === undefined) throw moved(join(bind.to, below))
    for await (const entry of await openFolder(join(bind.from, below))) {
      left -= 1
      if (left < 0) throw tooMany(bind.to)
      const path = join(below, entry.name)
      const to = join(bind.to, path)
      const isFolder = entry.isDirectory()
      // A secret link leads to what is judged by its own name, or out of what is shown.
      if (isHidden(bind, path) && !entry.isSymbolicLink()) {
        const kind = isFolder ? await closedKind(join(bind.from, path)) : 'closedFile'
        found.set(to, { path: to, kind, parent })
      } else if (bind.writable && isProtectedPath(path)) {
        const from = join(bind.from, path)
        const identity = entry.isSymbolicLink() ? undefined : await identify(from)
        if (identity === undefined) throw linked(to)
        found.set(to, { path: to, kind: 'readOnly', from, identity, parent })
      } else if (isFolder && entry.name !== SKIPPED) await walk(bind, path)
    }
  }
  for (const bind of binds) {
    // A grant of its own does not show a tool what its package hides.
    if (isHidden(bind, '')) found.set(bind.to, { path: bind.to, kind: await kindOf(bind.from) })
    else await walk(bind, '')
  }
  return [...found.values()]
}

function isHidden({ to }: Bind, path: string): boolean {
  if (to !== PACKAGE && !to.startsWith(`${PACKAGE}/`)) return isSecretPath(path)
  return isHiddenInPackage(join(to, path).slice(PACKAGE.length + 1))
}

async function kindOf(path: string): Promise<'closedFile' | 'closedFolder'> {
  return (await stat(path)).isDirectory() ? 'closedFolder' : 'closedFile'
}

// What stands for a name that does not exist yet has nothing to hide, and programs walk into it.
async function closedKind(path: string): Promise<'closedFolder' | 'emptyFolder'> {
  for await (const _entry of await openFolder(path)) return 'closedFolder'
  return 'emptyFolder'
}

async function openFolder(path: string): Promise<AsyncIterable<Dirent>> {
  try {
    return await opendir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR' || code === 'ENOENT' || code === 'EACCES') return nothing()
    throw error
  }
}

async function* nothing(): AsyncGenerator<Dirent> {
  // A single file, or what the host itself cannot look into.
}

function tooMany(path: string): CaissonError {
  const text = `${path} holds more than ${MAX_ENTRIES} names, too many to keep its secrets from a program; grant a part of it`
  return new CaissonError('FS_SANDBOX_DENIED', text, { path })
}

function moved(path: string): CaissonError {
  const text = `${path} was replaced while it was looked through`
  return new CaissonError('FS_SANDBOX_DENIED', text, { path, moved: true })
}

// A mount lands where a link leads, and leaves the link itself to whoever owns the folder.
function linked(path: string): CaissonError {
  return new CaissonError(
    'FS_SANDBOX_DENIED',
    `${path} is a link and cannot be kept from a program`,
    {
      path,
    },
  )
}
