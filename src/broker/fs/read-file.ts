import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { isCaissonError } from '../../errors/caisson-error.ts'
import { tooLarge } from '../refusals.ts'
import { notFound, outsideSandbox } from './fs-refusals.ts'
import { parseToolPath, toDisplayPath, type ToolPath } from './parse-path.ts'
import { reach, type FsScene, type Reached } from './reach.ts'

export interface FileContent {
  readonly bytes: Buffer
  /** How the file is called in texts. */
  readonly display: string
  /** A hash of the content. */
  readonly version: string
}

/**
 * Reads a whole file and records its version; a missing one is recorded as absent. Throws
 * `FS_NOT_FOUND`, `FS_SANDBOX_DENIED`, `OUTPUT_LIMIT`.
 */
export async function readFile(scene: FsScene, path: string): Promise<FileContent> {
  try {
    return await reach(scene, path, { use: 'read', follow: true }, async (reached) => {
      const content = await readContent(scene, reached)
      const { version } = content
      scene.gates.observed(reached.target, { kind: 'present', version }, scene.context)
      return content
    })
  } catch (error) {
    if (isCaissonError(error) && error.code === 'FS_NOT_FOUND') observeAbsent(scene, path)
    throw error
  }
}

/** Reads a file without recording that anybody has seen it. Throws what `readFile` throws. */
export function peekFile(scene: FsScene, path: string | ToolPath): Promise<FileContent> {
  return reach(scene, path, { use: 'read', follow: false }, (reached) =>
    readContent(scene, reached),
  )
}

/** The content of what was reached, without recording anything. */
export async function readContent(
  { access }: FsScene,
  { place, target }: Reached,
): Promise<FileContent> {
  const display = target.displayPath
  if (place.stats === undefined) throw notFound(display)
  if (place.stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' })
  if (!place.stats.isFile()) throw outsideSandbox(display, 'is no regular file')
  const handle = await place.open(constants.O_RDONLY)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw outsideSandbox(display, 'is no regular file')
    const bytes = await readCapped(handle, access.maxBytes)
    if (bytes === undefined)
      throw tooLarge('fs', `${display} is larger than ${access.maxBytes} bytes`, access.maxBytes)
    return { bytes, display, version: toVersion(bytes) }
  } finally {
    await handle.close()
  }
}

/** The version of a content. */
export function toVersion(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** All there is to read, however long the file says it is; undefined beyond the cap. */
async function readCapped(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const { size } = await handle.stat()
  if (size > maxBytes) return undefined
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const room = Math.min(Math.max(size - total, 1_024), maxBytes - total + 1)
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(room), 0, room, total)
    if (bytesRead === 0) return Buffer.concat(chunks, total)
    chunks.push(buffer.subarray(0, bytesRead))
    total += bytesRead
    if (total > maxBytes) return undefined
  }
}

function observeAbsent(scene: FsScene, path: string): void {
  const key = toDisplayPath(parseToolPath(path, process.platform))
  scene.gates.observed({ targetKey: key, displayPath: key }, { kind: 'absent' }, scene.context)
}
