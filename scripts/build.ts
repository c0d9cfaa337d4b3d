// Makes dist/: our own code by tsc, what runs beside the host as plain JavaScript text, and the schemas
// of profile and configuration files for editors.
import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { toConfigJsonSchema } from '../src/config/file-schema.ts'
import { toProfileJsonSchema } from '../src/sandbox/profile-json-schema.ts'
import { bundleAsset } from '../workers/bundler/assets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
await rm(new URL('../dist', import.meta.url), { recursive: true, force: true })
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
const assets = [
  'isolate/runner',
  'isolate/realm-entry',
  'isolate/frozen-realm-entry',
  'thread/stage',
  'check/probe',
  'process/shim',
  'tools/web-fetch',
]
for (const name of assets) {
  const entry = fileURLToPath(new URL(`../workers/${name}.ts`, import.meta.url))
  const target = new URL(`../dist/workers/${name}.bundle.js`, import.meta.url)
  await writeFile(target, await bundleAsset(entry))
}
await writeFile(
  new URL('../sandbox-profiles/schema.json', import.meta.url),
  `${JSON.stringify(toProfileJsonSchema(), undefined, 2)}\n`,
)
await writeFile(
  new URL('../config.schema.json', import.meta.url),
  `${JSON.stringify(toConfigJsonSchema(), undefined, 2)}\n`,
)
