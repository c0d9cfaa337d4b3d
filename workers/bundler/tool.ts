import { realpathSync } from 'node:fs'
import { basename, parse } from 'node:path'
import { Script } from 'node:vm'
import { build, type BuildOptions } from 'esbuild'
import { pathInside } from '../../src/loader/package-path.ts'
import { BundleError, toBundleError } from './bundle-error.ts'
import { locateImport } from './locate-import.ts'
import { moduleFiles, type RefusedFile } from './module-files.ts'
import { moduleNames } from './module-names.ts'

/**
 * Where a bundle will run: in an isolate; or with all of Node, on a worker thread beside its own files
 * or in a program that finds them below /package.
 */
export type BundleTarget = 'isolate' | 'thread' | 'process'

/** What to bundle: an entry file inside a root; nothing outside the root is read. */
export interface ToolBundleRequest {
  readonly root: string
  readonly entry: string
  readonly target: BundleTarget
}

/** A tool's source as the text of one function, and what it imports from the sandbox. */
export interface ToolBundle {
  /** `(require, module, exports) => void | Promise<void>`; sets `module.exports`. */
  readonly code: string
  /** Node modules and virtual packages the code imports, sorted. */
  readonly imports: readonly string[]
  /** Native add-ons that it loads when it runs, by their paths below the root, sorted. */
  readonly natives: readonly string[]
}

const MAX_BUNDLE_BYTES = 20 * 1024 * 1024

/** Bundles one source. Throws a BundleError that names files relative to the root. */
export async function bundleTool(given: ToolBundleRequest): Promise<ToolBundle> {
  const request = { ...given, root: realpathSync(given.root), entry: realpathSync(given.entry) }
  const refused: RefusedFile[] = []
  const imports = new Set<string>()
  const natives = new Set<string>()
  const options = buildOptions(request)
  try {
    const result = await build({
      ...options,
      plugins: [moduleNames(request.target, imports), moduleFiles(request, { refused, natives })],
    })
    const text = result.outputFiles?.[0]?.text ?? ''
    if (text.length > MAX_BUNDLE_BYTES) throw new BundleError(['the bundle is larger than 20 MB'])
    return {
      code: toFactory(text, request.target),
      imports: [...imports].sort(),
      natives: [...natives].sort(),
    }
  } catch (error) {
    const [first] = refused
    const at = first === undefined ? undefined : await locateImport(options, first.path)
    throw toBundleError(error, request.root, first, at)
  }
}

/** How a source is built; the plugins that resolve and read its files are the caller's to add. */
export function buildOptions(request: ToolBundleRequest): BuildOptions {
  const entry = pathInside(request.root, request.entry)
  if (entry === undefined) throw new BundleError(["the entry file leads out of the tool's folder"])
  return {
    // The entry is imported, not built, so that the output exports nothing and can be a function.
    stdin: {
      contents: [
        `import * as found from ${JSON.stringify(`./${entry}`)}`,
        `__caisson_module.file = ${JSON.stringify(toFileName(request.entry))}`,
        '__caisson_module.exports = found',
      ].join('\n'),
      resolveDir: request.root,
      sourcefile: 'caisson-entry.js',
      loader: 'js',
    },
    absWorkingDir: request.root,
    bundle: true,
    write: false,
    // The only format that allows top-level await.
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['node'],
    target: 'es2024',
    // A computed import of an isolate ends in our own `require` and is refused there.
    supported: { 'dynamic-import': request.target !== 'isolate' },
    define: {
      'import.meta': '__caisson_here',
      __dirname: '__caisson_here.dirname',
      __filename: '__caisson_here.filename',
    },
    logLevel: 'silent',
    logLimit: 100,
    legalComments: 'none',
    tsconfigRaw: {},
  }
}

// Some formats call a tool by it.
function toFileName(entry: string): string {
  const { name, dir } = parse(entry)
  return name === 'index' ? basename(dir) : name
}

function toFactory(text: string, target: BundleTarget): string {
  const dynamic = target !== 'isolate' ? 'const require=__caisson_require;' : ''
  const parameters = '(__caisson_require,__caisson_module,__caisson_exports)'
  const factory = `${parameters}=>{"use strict";${dynamic}${text}\n}`
  if (compiles(factory)) return factory
  // What is left over is top-level await, which only an async function can hold.
  const asynchronous = `async ${factory}`
  new Script(`(${asynchronous})`)
  return asynchronous
}

function compiles(expression: string): boolean {
  try {
    new Script(`(${expression})`)
    return true
  } catch {
    return false // Tried again as an async function, which reports what is really wrong.
  }
}
