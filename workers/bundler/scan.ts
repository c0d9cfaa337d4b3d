import { realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { build, type Plugin } from 'esbuild'
import { VIRTUAL_MODULES } from '../shared/virtual/names.ts'
import { toBundleError } from './bundle-error.ts'
import { moduleFiles, type RefusedFile } from './module-files.ts'
import { freeNames, readUse, type SourceUse } from './read-use.ts'
import { buildOptions, type ToolBundleRequest } from './tool.ts'

/** A source to be read, not run. */
export type ScanRequest = Pick<ToolBundleRequest, 'root' | 'entry'>

const MAX_SCANNED_BYTES = 4 * 1024 * 1024
const virtual: ReadonlySet<string> = new Set(VIRTUAL_MODULES)

/**
 * What a source uses, read from its text with everything it imports. Unlike a bundle it may import
 * any Node module. Throws a BundleError that names files relative to the root.
 */
export async function scanTool(given: ScanRequest): Promise<SourceUse> {
  const request: ToolBundleRequest = {
    root: realpathSync(given.root),
    entry: realpathSync(given.entry),
    target: 'thread',
  }
  const refused: RefusedFile[] = []
  const options = buildOptions(request)
  try {
    const result = await build({
      ...options,
      define: { ...options.define, ...freeNames() },
      // Joins texts that are written in parts, and makes one form of several.
      minifySyntax: true,
      plugins: [namedModules(), moduleFiles(request, { refused, natives: new Set() })],
    })
    return readText(result.outputFiles?.[0]?.text ?? '')
  } catch (error) {
    throw toBundleError(error, request.root, refused[0], undefined)
  }
}

function readText(text: string): SourceUse {
  const none = { modules: [], packages: [], fetch: false, hosts: [], env: [] }
  if (text.length > MAX_SCANNED_BYTES) {
    return { ...none, unseen: ['more than 4 MB of code, which is not read'] }
  }
  try {
    return readUse(text, (name) => virtual.has(name))
  } catch {
    return { ...none, unseen: ['code that is nested too deeply to be read'] }
  }
}

/** Keeps what no file supplies as an import, under one name. */
function namedModules(): Plugin {
  return {
    name: 'caisson-named-modules',
    setup(pass) {
      pass.onResolve({ filter: /^[^./]/ }, ({ path: specifier }) => {
        const packageName = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
        if (virtual.has(packageName)) return { path: packageName, external: true }
        if (!isBuiltin(specifier)) return undefined
        return { path: `node:${specifier.replace(/^node:/, '')}`, external: true }
      })
    },
  }
}
