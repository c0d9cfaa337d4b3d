import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { NOT_INSTALLED, NOT_LINUX, type Unconfinable } from './confiner-reasons.ts'
import { compileSeccomp } from './seccomp.ts'
import { findCallTable } from './seccomp-calls.ts'
import { findStrayDescriptors } from './stray-descriptors.ts'

/** What every sandbox of a machine is made with. */
export interface BwrapTools {
  /** Absolute path of bwrap. */
  readonly bwrap: string
  readonly seccomp: Uint8Array
  /** A shell that can close what `strayFds` names: descriptors the host was born with and passes on. */
  readonly shell: string
  readonly strayFds: readonly number[]
}

/** Looks for bubblewrap in `path`, and for what it needs; it is not tried out. */
export function findBwrap(path: string): BwrapTools | Unconfinable {
  if (process.platform !== 'linux') return NOT_LINUX
  const bwrap = findProgram('bwrap', path)
  if (bwrap === undefined) return NOT_INSTALLED
  const table = findCallTable(process.arch)
  if (table === undefined) {
    const reason = `no filter of system calls has been written for ${process.arch}`
    return { reason, hint: 'use x64 or arm64' }
  }
  const strayFds = findStrayDescriptors()
  const shell = strayFds.length === 0 ? '/bin/sh' : '/bin/bash'
  if (!existsSync(shell)) {
    const reason = `${shell} is missing, which would close descriptors the host was born with`
    return { reason, hint: 'install bash, or start the host without open descriptors' }
  }
  return { bwrap, seccomp: compileSeccomp(table), shell, strayFds }
}

function findProgram(name: string, path: string): string | undefined {
  const folders = path.split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
