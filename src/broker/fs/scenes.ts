import type { RootName } from '../../sandbox/path-pattern.ts'
import type { CapabilityContext } from '../../types/capability.ts'
import type { FsGrant } from '../../types/profile.ts'
import { notGranted } from '../refusals.ts'
import { compileFsAccess, type FsAccess } from './access.ts'
import { outsideSandbox } from './fs-refusals.ts'
import type { FileGates } from './gates.ts'
import { createLocks } from './locks.ts'
import type { FsScene, HostPaths } from './reach.ts'

export interface FileScenesSpec {
  readonly gates: FileGates
  /** The real folder of a root for this call; undefined when there is none that can be shown. */
  rootOf(root: RootName, context: CapabilityContext): Promise<string | undefined>
  hostPaths(): HostPaths
}

/** What requests for files go by; one set of locks for all of a host. */
export interface FileScenes {
  /** Throws `CAPABILITY_DENIED` when the call is granted no files. */
  of(context: CapabilityContext): FsScene
}

/** Creates the scenes of a host. */
export function createFileScenes(spec: FileScenesSpec): FileScenes {
  const locks = createLocks()
  const accesses = new WeakMap<FsGrant, FsAccess>()
  const accessOf = (grant: FsGrant): FsAccess => {
    const known = accesses.get(grant) ?? compileFsAccess(grant)
    accesses.set(grant, known)
    return known
  }
  return {
    of(context) {
      const { fs } = context.grants
      if (fs === undefined) throw notGranted('fs', "files are not granted by the tool's profile")
      return {
        context,
        access: accessOf(fs),
        gates: spec.gates,
        locks,
        hostPaths: spec.hostPaths(),
        async rootOf(root) {
          const folder = await spec.rootOf(root, context)
          if (folder !== undefined) return folder
          throw outsideSandbox(`${root}:/`, 'cannot be shown to this tool')
        },
      }
    },
  }
}
