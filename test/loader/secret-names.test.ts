import { expect, test } from 'vitest'
import { isHiddenInPackage, isNeverBundled, isSecretPath } from '../../src/loader/secret-names.ts'

test.each([
  '.env',
  'a/b/.env.production',
  '.ENV',
  '.npmrc',
  '.netrc',
  'keys/server.pem',
  'id_rsa',
  'deep/ID_ED25519',
  'tls.key',
  'credentials.json',
  '.credentials-old',
  'service-account-prod.json',
  'secrets.yaml',
  'state.tfstate',
  '.ssh/config',
  '.aws/anything',
  'windows\\.ssh\\config',
  'caisson.config.json',
  '.e\u200bnv',
])('isSecretPath() holds for %s', (path) => expect(isSecretPath(path)).toBe(true))

test.each([
  '.env.example',
  'src/environment.ts',
  'keyboard.ts',
  'id_rsa.pub',
  'monkey.js',
  'secrets.ts',
  'public/credentials.ts',
])('isSecretPath() does not hold for %s', (path) => expect(isSecretPath(path)).toBe(false))

test.each([
  '.git/config',
  'a/.GIT/HEAD',
  '.hg/hgrc',
  '.svn/wc.db',
  'GIT~1/config',
  '.env',
  'x.pem',
])('isNeverBundled() holds for %s', (path) => expect(isNeverBundled(path)).toBe(true))

test.each(['.claude/tools/a.ts', '.gitignore', 'src/git/a.ts', '.github/x.yml'])(
  'isNeverBundled() does not hold for %s',
  (path) => expect(isNeverBundled(path)).toBe(false),
)

test.each(['.git/config', '.mcp.json', '.vscode/tasks.json', '.bashrc', '.env', 'a/id_rsa'])(
  'isHiddenInPackage() holds for %s',
  (path) => expect(isHiddenInPackage(path)).toBe(true),
)

test.each(['package.json', '.gitignore', 'git/config', 'src/bashrc.ts'])(
  'isHiddenInPackage() does not hold for %s',
  (path) => expect(isHiddenInPackage(path)).toBe(false),
)
