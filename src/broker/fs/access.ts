import picomatch from 'picomatch'
import { isHiddenInPackage, isSecretPath } from '../../loader/secret-names.ts'
import { parsePathPattern, type PathPattern } from '../../sandbox/path-pattern.ts'
import { isProtectedPath } from '../../sandbox/protected-names.ts'
import type { FsGrant } from '../../types/profile.ts'
import type { ToolPath } from './parse-path.ts'

/** What one grant allows, compiled. */
export interface FsAccess {
  readonly maxBytes: number
  mayRead(path: ToolPath): boolean
  /** Whether a folder's own properties and the granted names in it may be seen. */
  mayList(path: ToolPath): boolean
  mayWrite(path: ToolPath): boolean
  /** Whether this may be a folder that the tool makes. */
  mayMakeFolder(path: ToolPath): boolean
}

interface Matcher {
  readonly root: PathPattern['root']
  readonly file: (path: string) => boolean
  /** Matches the folders in which the pattern can match something. */
  readonly folder: (path: string) => boolean
  /** The pattern spells a name that is secret by convention: then that is what its operator wants. */
  readonly spellsSecret: boolean
}

/** Compiles a grant; an empty list allows nothing. */
export function compileFsAccess({ read, write, maxBytes }: FsGrant): FsAccess {
  const readers = read.map(compilePattern)
  const writers = write.map(compilePattern)
  const matchesFile = (list: readonly Matcher[], { root, segments }: ToolPath): boolean => {
    const path = segments.join('/')
    if (root === 'package' && isHiddenInPackage(path)) return false
    const isSecret = isSecretPath(path)
    return list.some(
      (one) => one.root === root && (!isSecret || one.spellsSecret) && one.file(path),
    )
  }
  const matchesFolder = (list: readonly Matcher[], path: ToolPath): boolean => {
    const name = path.segments.join('/')
    if (path.root === 'package' ? isHiddenInPackage(name) : isSecretPath(name)) return false
    return list.some((one) => one.root === path.root && one.folder(name))
  }
  const isProtected = ({ segments }: ToolPath): boolean => isProtectedPath(segments.join('/'))
  return {
    maxBytes,
    mayRead: (path) => matchesFile(readers, path),
    mayList: (path) => matchesFile(readers, path) || matchesFolder(readers, path),
    mayWrite: (path) =>
      path.segments.length > 0 && !isProtected(path) && matchesFile(writers, path),
    mayMakeFolder: (path) =>
      !isProtected(path) && (matchesFile(writers, path) || matchesFolder(writers, path)),
  }
}

function compilePattern(text: string): Matcher {
  const { root, glob } = parsePathPattern(text)
  const slash = glob.lastIndexOf('/')
  const folder = slash < 0 ? '' : glob.slice(0, slash)
  const last = glob.slice(slash + 1)
  const isPlain = !/[*?[\]{}()!+@]/.test(last)
  return {
    root,
    file: compileGlob(glob),
    folder: glob === '**' ? () => true : compileGlob(folder),
    spellsSecret: root === 'workspace' && isPlain && isSecretPath(glob),
  }
}

function compileGlob(glob: string): (path: string) => boolean {
  if (glob === '') return (path) => path === ''
  const matches = picomatch(glob, { dot: true, nonegate: true })
  return glob === '**' ? () => true : (path) => path !== '' && matches(path)
}
