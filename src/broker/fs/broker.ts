import { isCaissonError } from '../../errors/caisson-error.ts'
import { createGate, type Gate } from '../../engine/shared/gate.ts'
import type { CapabilityContext } from '../../types/capability.ts'
import type { JsonValue } from '../../types/json.ts'
import { toFailedAnswer, type Capability, type RequestNote } from '../capability.ts'
import { notFound, outsideSandbox } from './fs-refusals.ts'
import { checkAccess, realPath, statPath } from './inspect.ts'
import { listFolder } from './list-folder.ts'
import { makeFolder } from './make-folder.ts'
import { copyFile, movePath } from './move.ts'
import { parseFsRequest, type FsRequest } from './parse-request.ts'
import { checkLive, type FsScene } from './reach.ts'
import { readFile } from './read-file.ts'
import { removeFile, removeFolder, removeTree } from './remove.ts'
import type { FileScenes } from './scenes.ts'
import { writeFile } from './write-file.ts'

/** Files that may be worked on at once: each takes two or three descriptors, and a thread. */
const PLACES = 32
const PLACES_PER_CALL = 8
const MAX_NOTED = 1_024

/**
 * Creates the broker behind `node:fs/promises`. Refusals carry `FS_*`, `INVALID_ARGS` or
 * `OUTPUT_LIMIT`; what the file system itself would not do is answered with `failed`.
 */
export function createFsBroker(scenes: FileScenes): Capability {
  const places = createGate(PLACES)
  const ownPlaces = new WeakMap<CapabilityContext, Gate>()
  const enter = async (context: CapabilityContext): Promise<() => void> => {
    const own = ownPlaces.get(context) ?? createGate(PLACES_PER_CALL)
    ownPlaces.set(context, own)
    const leaveOwn = await own.enter()
    const leave = await places.enter()
    return () => {
      leave()
      leaveOwn()
    }
  }
  return {
    describe(payload, note) {
      const { op, path } = Object(payload) as { op?: unknown; path?: unknown }
      if (typeof op === 'string') note.operation = op.slice(0, 32)
      if (typeof path === 'string') note.target = path.slice(0, MAX_NOTED)
    },
    async request(context, payload, note) {
      const scene = scenes.of(context)
      const request = parseFsRequest(payload)
      const leave = await enter(context)
      try {
        checkLive(scene)
        return await serve(scene, request, note)
      } catch (error) {
        return toAnswer(error, request)
      } finally {
        leave()
      }
    },
  }
}

async function serve(scene: FsScene, request: FsRequest, note: RequestNote): Promise<JsonValue> {
  const { op, path } = request
  switch (op) {
    case 'readFile': {
      const { bytes } = await readFile(scene, path)
      note.bytesReceived = bytes.length
      return { data: bytes.toString('base64') }
    }
    case 'writeFile':
    case 'appendFile': {
      const data = Buffer.from(request.data, 'base64')
      note.bytesSent = data.length
      const flag = request.flag ?? (op === 'writeFile' ? 'w' : 'a')
      await writeFile(scene, { path, data, flag, mode: request.mode })
      return {}
    }
    case 'readdir':
      return { entries: toJson(await listFolder(scene, path, request.recursive)) }
    case 'stat':
    case 'lstat':
      return toJson(await statPath(scene, path, op === 'stat'))
    case 'realpath':
      return { path: await realPath(scene, path) }
    case 'access':
      await checkAccess(scene, path, request.mode)
      return {}
    case 'mkdir': {
      const created = await makeFolder(scene, path, request.recursive)
      return created === undefined ? {} : { created }
    }
    case 'unlink':
      await removeFile(scene, path)
      return {}
    case 'rmdir':
      await removeFolder(scene, path)
      return {}
    case 'rm':
      await removeTree(scene, path, request)
      return {}
    case 'copyFile':
      note.bytesSent = await copyFile(scene, path, request.to, ((request.mode ?? 0) & 1) !== 0)
      return {}
    case 'rename':
      await movePath(scene, path, request.to)
      return {}
  }
}

// These are plain data already; only their types are too narrow to say so.
function toJson(value: object): JsonValue {
  return value as unknown as JsonValue
}

const TEXTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'file already exists',
  EISDIR: 'illegal operation on a directory',
  ENOSPC: 'no space left on device',
  ENOTEMPTY: 'directory not empty',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
}

/** What the file system said, without what it calls the file. */
function toAnswer(error: unknown, { op, path }: FsRequest): JsonValue {
  if (isCaissonError(error)) throw error
  const code: unknown = Reflect.get(Object(error), 'code')
  if (typeof code !== 'string') throw error
  const shown = `'${path.slice(0, MAX_NOTED)}'`
  if (code === 'ENOENT' || code === 'ENOTDIR') throw notFound(shown)
  if (code === 'ELOOP') throw outsideSandbox(shown, 'is a link, or became one')
  return toFailedAnswer(code, `${code}: ${TEXTS[code] ?? 'operation failed'}, ${op} ${shown}`)
}
