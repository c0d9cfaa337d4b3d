import { constants, open, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { NON_BLOCKING } from '../sandbox/read-regular-file.ts'
import type { HeldFile } from '../types/source.ts'
import { pathInside } from './package-path.ts'

/** What could be held of a source's files, and why the others could not. */
export interface Holding {
  readonly files: readonly HeldFile[]
  /** One text for each file that is not held. */
  readonly unheld: readonly string[]
  /** Files that are no files of the source at all. */
  readonly outside: readonly string[]
}

const MAX_FILES = 16
// A link is not what was looked at.
const NO_LINK = (constants as { readonly O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0
const FLAGS = constants.O_RDONLY | NON_BLOCKING | NO_LINK
const MAX_BYTES = 16 * 1024 * 1024

/** Reads files of a source by their paths below its root, so that what runs is what was looked at. */
export async function holdFiles(root: string, paths: readonly string[]): Promise<Holding> {
  const files: HeldFile[] = []
  const unheld: string[] = []
  const outside: string[] = []
  let left = MAX_BYTES
  for (const path of new Set(paths.map((given) => relative(root, join(root, given))))) {
    const found = await locate(root, path)
    if (found === 'outside') outside.push(`package:/${path}`)
    else if (found === 'linked') unheld.push(`package:/${path} is a link`)
    else if (files.length === MAX_FILES) unheld.push(`package:/${path} is one file too many`)
    else {
      const bytes = await read(join(root, path), left)
      if (typeof bytes === 'string') unheld.push(`package:/${path} ${bytes}`)
      else {
        files.push({ path, bytes })
        left -= bytes.length
      }
    }
  }
  return { files, unheld, outside }
}

async function locate(root: string, path: string): Promise<'here' | 'linked' | 'outside'> {
  const named = join(root, path)
  try {
    const real = await realpath(named)
    if (real !== root && pathInside(root, real) === undefined) return 'outside'
    return real === named ? 'here' : 'linked'
  } catch {
    return 'here' // Missing: reading it says so.
  }
}

async function read(path: string, most: number): Promise<Uint8Array | string> {
  try {
    await using file = await open(path, FLAGS)
    const stats = await file.stat()
    if (!stats.isFile()) return 'is no regular file'
    if (stats.size > most) return `is larger than a program's files may be together (${MAX_BYTES})`
    return await file.readFile()
  } catch {
    return 'cannot be read'
  }
}
