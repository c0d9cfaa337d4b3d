import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'

/** Folder of the package that holds what the interoperability tests talk to. */
export const INTEROP = fileURLToPath(new URL('../../interop/', import.meta.url))

/** A program of that package. */
export const interopProgram = (path: string): string => join(INTEROP, 'node_modules', path)

/** A suite that needs that package; where it is not installed it is skipped, and its title says why. */
export function describeInterop(title: string, suite: () => void): void {
  const isInstalled = existsSync(interopProgram('@modelcontextprotocol/conformance/package.json'))
  if (isInstalled) describe(title, suite)
  else describe.skip(`${title} (interop/ is not installed: npm run interop:setup)`, suite)
}
