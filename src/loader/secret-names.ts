import { foldName } from '../sandbox/fold-name.ts'
import { isProtectedPath } from '../sandbox/protected-names.ts'

const SECRET_FOLDERS: ReadonlySet<string> = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.kube'])
const HARMLESS: ReadonlySet<string> = new Set([
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
])
const SECRET_NAMES: ReadonlySet<string> = new Set([
  '.env',
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
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  'credentials.json',
  // Ours: it may hold the operator's secrets themselves.
  'caisson.config.json',
])
/** Histories of a repository, with all that was ever in it and the way to where it came from. */
const HISTORIES: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'git~1'])
const SECRET_PATTERNS: readonly RegExp[] = [
  /^\.env\./,
  /^\.credentials/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfstate)$/,
  /^service-account.*\.json$/,
  /^secrets\.(yml|yaml|json|toml)$/,
]

/** Whether a relative path names a file that holds secrets by convention, at any depth. */
export function isSecretPath(path: string): boolean {
  const segments = toSegments(path)
  const name = segments.at(-1) ?? ''
  if (segments.some((segment) => SECRET_FOLDERS.has(segment))) return true
  if (HARMLESS.has(name)) return false
  return SECRET_NAMES.has(name) || SECRET_PATTERNS.some((pattern) => pattern.test(name))
}

/** Whether a tool's bundle never takes this file of its package: secrets, and histories. */
export function isNeverBundled(path: string): boolean {
  return isSecretPath(path) || toSegments(path).some((segment) => HISTORIES.has(segment))
}

/** Whether a tool never sees this file of its own package: secrets, and what other programs obey. */
export function isHiddenInPackage(path: string): boolean {
  return isSecretPath(path) || isProtectedPath(path)
}

function toSegments(path: string): string[] {
  return path.split(/[\\/]/).map(foldName)
}
