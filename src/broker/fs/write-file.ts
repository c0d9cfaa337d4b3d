import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, open, rename, unlink } from 'node:fs/promises'
import type { WriteIntent } from '../../types/file-gates.ts'
import { tooLarge } from '../refusals.ts'
import { notObserved, outsideSandbox, staleVersion } from './fs-refusals.ts'
import { checkLive, reach, type FsScene, type Reached } from './reach.ts'
import { readContent, toVersion } from './read-file.ts'

export interface WriteRequest {
  readonly path: string
  readonly data: Buffer
  /** `w` replaces, `a` appends, `wx` and `ax` only create. */
  readonly flag: 'w' | 'wx' | 'a' | 'ax'
  readonly mode: number | undefined
}

const NEW_MODE = 0o666
const MODE_BITS = 0o777
const { O_CREAT, O_EXCL, O_WRONLY } = constants

/**
 * Writes a file by replacing it as a whole, never half, under the version that its agent has seen.
 * Throws `FS_NOT_OBSERVED`, `FS_STALE_VERSION`, `FS_NOT_FOUND` for its folder, `FS_SANDBOX_DENIED`.
 */
export function writeFile(scene: FsScene, request: WriteRequest): Promise<void> {
  return reach(scene, request.path, { use: 'write', follow: true }, async (reached) => {
    checkReplaceable(reached)
    const { target } = reached
    const intent = await scene.gates.writeIntent(target, scene.context)
    const version = await scene.locks.hold([target.targetKey], () =>
      writeUnder(scene, reached, request, intent),
    )
    scene.gates.observed(target, { kind: 'present', version }, scene.context)
  })
}

async function writeUnder(
  scene: FsScene,
  reached: Reached,
  request: WriteRequest,
  intent: WriteIntent | undefined,
): Promise<string> {
  const { place, target } = reached
  const stats = await lstat(place.path).catch(() => undefined)
  const now = { ...reached, place: { ...place, stats } }
  if (stats !== undefined && request.flag.endsWith('x'))
    throw Object.assign(new Error('it exists'), { code: 'EEXIST' })
  checkReplaceable(now)
  const current = await checkIntent(scene, now, intent, request.flag === 'a')
  const appended = request.flag === 'a' && current !== undefined
  const data = appended ? Buffer.concat([current, request.data]) : request.data
  const { maxBytes } = scene.access
  if (data.length > maxBytes)
    throw tooLarge('fs', `${target.displayPath} would have more than ${maxBytes} bytes`, maxBytes)
  await replaceFile(scene, now, { data, mode: request.mode, isNew: stats === undefined })
  return toVersion(data)
}

/** Holds the file against the version that is expected of it; its content where that was read. */
export async function checkIntent(
  scene: FsScene,
  reached: Reached,
  intent: WriteIntent | undefined,
  needsContent: boolean = false,
): Promise<Buffer | undefined> {
  const { displayPath } = reached.target
  const exists = reached.place.stats !== undefined
  if (intent?.kind === 'createIfAbsent' && exists) throw notObserved(displayPath)
  if (intent?.kind === 'replaceIfVersion' && !exists) throw staleVersion(displayPath)
  if (!exists || (intent === undefined && !needsContent)) return undefined
  const { bytes, version } = await readContent(scene, reached)
  if (intent?.kind === 'replaceIfVersion' && version !== intent.version)
    throw staleVersion(displayPath)
  return bytes
}

/** Throws for what is there and is no regular file. */
export function checkReplaceable({ place, target }: Reached): void {
  const { stats } = place
  if (stats === undefined || stats.isFile()) return
  if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' })
  throw outsideSandbox(target.displayPath, 'is no regular file')
}

interface Replacement {
  readonly data: Buffer
  readonly mode: number | undefined
  readonly isNew: boolean
}

/** Puts the whole content in place at once; a name that has appeared meanwhile is `FS_NOT_OBSERVED`. */
export async function replaceFile(
  scene: FsScene,
  reached: Reached,
  how: Replacement,
): Promise<void> {
  const { place, target } = reached
  const temporary = place.sibling(`.caisson-${randomBytes(8).toString('hex')}.tmp`)
  const mode = (how.mode ?? place.stats?.mode ?? NEW_MODE) & MODE_BITS
  const handle = await open(temporary, O_CREAT | O_EXCL | O_WRONLY, mode)
  try {
    try {
      await handle.writeFile(how.data)
      if (place.stats !== undefined) {
        await handle.chmod(mode)
        await handle.chown(place.stats.uid, place.stats.gid).catch(() => undefined) // Ours then.
      }
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await place.checkFolder()
    checkLive(scene)
    if (!how.isNew) await rename(temporary, place.path)
    else await createFrom(temporary, place.path, target.displayPath)
  } finally {
    await unlink(temporary).catch(() => undefined) // It has become the file.
  }
}

/** Makes the file appear as a whole, unless somebody else's has appeared meanwhile. */
async function createFrom(temporary: string, path: string, display: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code')
    if (code === 'EEXIST') throw notObserved(display)
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    // A file system without hard links: the name is taken first, then filled by the rename.
    const taken = await open(path, O_CREAT | O_EXCL | O_WRONLY).catch(() => undefined)
    if (taken === undefined) throw notObserved(display)
    await taken.close()
    await rename(temporary, path)
  }
}
