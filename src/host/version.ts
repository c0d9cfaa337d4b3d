import { readFileSync } from 'node:fs'

const UP = import.meta.url.endsWith('.ts') ? '../../' : '../../../'

/** The version of this package. */
export function version(): string {
  const manifest = readFileSync(new URL(`${UP}package.json`, import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
