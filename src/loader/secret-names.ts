import { foldName } from '../sandbox/fold-name.ts'
import { isProtectedPath } from '../sandbox/protected-names.ts'

/** Names by convention of what holds secrets; `*` stands for anything, once in a name. */
export const SECRET_FOLDERS: readonly string[] = ['.ssh', '.gnupg', '.aws', '.azure', '.kube']
export const SECRET_DOT_NAMES: readonly string[] = [
  '.env',
  '.env.*',
  '.envrc',
  '.netrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.htpasswd',
  '.vault-token',
  '.credentials*',
]
export const KEY_FILE_NAMES: readonly string[] = [
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'credentials.json', 'service-account*.json'],
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx', '*.ppk', '*.tfstate'],
  ...['secrets.yml', 'secrets.yaml', 'secrets.json', 'secrets.toml'],
]
// The last is ours: it may hold the operator's secrets themselves.
const SECRET_NAMES = [...SECRET_DOT_NAMES, ...KEY_FILE_NAMES, 'caisson.config.json']
const EXACT_NAMES: ReadonlySet<string> = new Set(SECRET_NAMES)
const OPEN_NAMES = SECRET_NAMES.filter((name) => name.includes('*')).map((name) => name.split('*'))
const HARMLESS: ReadonlySet<string> = new Set([
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
])
/** Histories of a repository, with all that was ever in it and the way to where it came from. */
const HISTORIES: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'git~1'])

/** Whether a relative path names a file that holds secrets by convention, at any depth. */
export function isSecretPath(path: string): boolean {
  const segments = toSegments(path)
  const name = segments.at(-1) ?? ''
  if (segments.some((segment) => SECRET_FOLDERS.includes(segment))) return true
  if (HARMLESS.has(name)) return false
  return (
    EXACT_NAMES.has(name) || OPEN_NAMES.some(([head = '', tail = '']) => fits(name, head, tail))
  )
}

/** Whether a tool's bundle never takes this file of its package: secrets, and histories. */
export function isNeverBundled(path: string): boolean {
  return isSecretPath(path) || toSegments(path).some((segment) => HISTORIES.has(segment))
}

/** Whether a tool never sees this file of its own package: secrets, and what other programs obey. */
export function isHiddenInPackage(path: string): boolean {
  return isSecretPath(path) || isProtectedPath(path)
}

function fits(name: string, head: string, tail: string): boolean {
  const isLongEnough = name.length >= head.length + tail.length
  return isLongEnough && name.startsWith(head) && name.endsWith(tail)
}

function toSegments(path: string): string[] {
  return path.split(/[\\/]/).map(foldName)
}
