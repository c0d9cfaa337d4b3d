import {
  isSecretPath,
  KEY_FILE_NAMES,
  SECRET_DOT_NAMES,
  SECRET_FOLDERS,
} from '../../../loader/secret-names.ts'
import { COVERED_FILES, COVERED_FOLDERS } from '../../../sandbox/covered-names.ts'
import { foldName } from '../../../sandbox/fold-name.ts'
import { isProtectedPath } from '../../../sandbox/protected-names.ts'
import type { Segment } from './atoms.ts'
import { couldBe, couldMatch, toNamePattern } from './match.ts'

const DOT_NAMES = SECRET_DOT_NAMES.map(toNamePattern)
const KEY_NAMES = KEY_FILE_NAMES.map(toNamePattern)
// A glob that may stand for any name is not taken for one of the few without a dot.
const DOT_FILES = COVERED_FILES.filter((name) => name.startsWith('.'))
const DOT_FOLDERS = COVERED_FOLDERS.filter((name) => name.startsWith('.'))
const PROTECTED_PREFIXES = ['.bash*', '.zsh*'].map(toNamePattern)

/** Whether a path names secrets by convention. Key files are left out for patterns: a listing says. */
export function namesSecret(segments: readonly Segment[]): boolean {
  if (isLiteral(segments)) return isSecretPath(segments.join('/'))
  if (segments.some((segment) => SECRET_FOLDERS.some((name) => couldBe(segment, name)))) return true
  const last = segments.at(-1)
  if (last === undefined) return false
  if (typeof last === 'string') return isSecretPath(last)
  return DOT_NAMES.some((pattern) => couldMatch(last, pattern))
}

/** Whether a pattern could stand for the name of a key file. */
export function couldBeKeyFile(segment: Segment): boolean {
  return KEY_NAMES.some((pattern) => couldMatch(segment, pattern))
}

/** Whether a name filter could let a secret or protected name through. */
export function filterAdmitsSecret(filter: Segment): boolean {
  if (couldBeKeyFile(filter)) return true
  return [...DOT_NAMES, ...PROTECTED_PREFIXES].some((pattern) => couldMatch(filter, pattern))
}

/** Whether somebody else's program runs or obeys what lies at this path. `extra` names are folded. */
export function namesProtected(segments: readonly Segment[], extra: ReadonlySet<string>): boolean {
  const literal = isLiteral(segments)
  if (literal && isProtectedPath(segments.join('/'))) return true
  if (
    extra.size > 0 &&
    segments.some((segment) => [...extra].some((name) => couldBe(segment, name)))
  )
    return true
  if (literal) return false
  if (segments.some((segment) => DOT_FOLDERS.some((name) => couldBe(segment, name)))) return true
  const last = segments.at(-1)
  if (last === undefined) return false
  if (DOT_FILES.some((name) => couldBe(last, name))) return true
  return PROTECTED_PREFIXES.some((pattern) => couldMatch(last, pattern))
}

/** Whether one entry's name is protected. */
export function isProtectedName(name: string, extra: ReadonlySet<string>): boolean {
  return isProtectedPath(name) || extra.has(foldName(name))
}

function isLiteral(segments: readonly Segment[]): segments is readonly string[] {
  return segments.every((segment) => typeof segment === 'string')
}
