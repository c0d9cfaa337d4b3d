import { build, type BuildOptions } from 'esbuild'
import { fileURLToPath } from 'node:url'
import { REALM_BUILD } from '../realm/bundling.ts'
import { bundleTool } from './tool.ts'

const NODE_BUILD: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'es2024',
  minify: true,
  legalComments: 'none',
  tsconfigRaw: {},
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * One of our own entries as plain JavaScript text: the realm (a script), a tool of the pack (as any
 * tool is bundled), or code for Node (CommonJS).
 */
export async function bundleAsset(entry: string): Promise<string> {
  if (/[\\/]workers[\\/]tools[\\/]/.test(entry)) {
    return (await bundleTool({ root: ROOT, entry, target: 'isolate' })).code
  }
  const options = /realm-entry\.[jt]s$/.test(entry) ? REALM_BUILD : NODE_BUILD
  const result = await build({
    ...options,
    entryPoints: [entry],
    write: false,
    logLevel: 'silent',
  })
  return result.outputFiles?.[0]?.text ?? ''
}
