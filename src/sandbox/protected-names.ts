import { COVERED_FILES, COVERED_FOLDERS } from './covered-names.ts'
import { foldName } from './fold-name.ts'

// The short name is how some file systems also call `.git`.
const SEGMENTS: ReadonlySet<string> = new Set([...COVERED_FOLDERS, 'git~1'])
const NAMES: ReadonlySet<string> = new Set(COVERED_FILES)
const PREFIXES = ['.bash', '.zsh']

/**
 * Whether somebody else's program runs or obeys a file of this relative path: shell start files, what
 * lies in version control and editor folders, and our own configuration. Never written for a tool.
 */
export function isProtectedPath(path: string): boolean {
  const segments = path.split('/').map(foldName)
  const name = segments.at(-1) ?? ''
  if (segments.some((segment) => SEGMENTS.has(segment))) return true
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))
}
