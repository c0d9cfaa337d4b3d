import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Loader, OnLoadResult, Plugin } from 'esbuild'
import { packageUrl, pathInside } from '../../src/loader/package-path.ts'
import { isNeverBundled } from '../../src/loader/secret-names.ts'
import type { BundleTarget, ToolBundleRequest } from './tool.ts'

/** A file an import led to that must not be read. */
export interface RefusedFile {
  readonly path: string
  readonly text: string
}

const LOADERS: Readonly<Record<string, Loader>> = {
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.json': 'json',
  '.txt': 'text',
  '.md': 'text',
  '.html': 'text',
  '.sql': 'text',
}
const MAX_SOURCE_BYTES = 20 * 1024 * 1024

/** Reads every file of a build itself: inside the root by real path, no secrets, no native code. */
export function moduleFiles(
  request: ToolBundleRequest,
  found: { readonly refused: RefusedFile[]; readonly natives: Set<string> },
): Plugin {
  let total = 0
  return {
    name: 'caisson-module-files',
    setup(build) {
      build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => {
        const admitted = admit(path, request)
        if (typeof admitted === 'string') {
          found.refused.push({ path, text: admitted })
          return { errors: [{ text: admitted }] }
        }
        total += admitted.bytes
        if (total > MAX_SOURCE_BYTES)
          return { errors: [{ text: 'the source is larger than 20 MB' }] }
        if (isNative(admitted.path)) found.natives.add(admitted.inside)
        return load(admitted, request.target)
      })
    },
  }
}

interface Admitted {
  readonly path: string
  readonly inside: string
  readonly bytes: number
  /** Undefined for a file that is no module: it may be one of many that a template can mean. */
  readonly loader: Loader | undefined
}

function admit(path: string, request: ToolBundleRequest): Admitted | string {
  // A link may stand anywhere in the path; only where it ends counts.
  const real = realpathSync(path)
  const inside = pathInside(request.root, real)
  if (inside === undefined) return "an import leads out of the tool's folder"
  if (isNeverBundled(inside)) return `"${inside}" is named like a secret and is not bundled`
  const extension = extname(real).toLowerCase()
  if (isNative(real) && request.target !== 'process')
    return `"${inside}" is native code, ${describeNative(request.target)}`
  if (extension === '.wasm') return `"${inside}" is WebAssembly, ${describeWasm(request.target)}`
  const loader = LOADERS[extension]
  const stats = statSync(real)
  if (!stats.isFile()) return `"${inside}" is not a regular file`
  return { path: real, inside, bytes: stats.size, loader }
}

function isNative(path: string): boolean {
  return extname(path).toLowerCase() === '.node'
}

function describeNative(target: BundleTarget): string {
  return target === 'thread'
    ? 'which can take the host down from a thread; it runs only in the process engine'
    : 'which runs only in the process engine'
}

function describeWasm(target: BundleTarget): string {
  return target === 'isolate'
    ? 'which runs only in the process engine'
    : 'which is not imported but read, by its address from import.meta.url'
}

function load(file: Admitted, target: BundleTarget): OnLoadResult {
  if (isNative(file.path)) {
    const contents = `module.exports = __caisson_require(${JSON.stringify(packagePath(file))})`
    return { contents, loader: 'js' }
  }
  if (file.loader === undefined) {
    const text = `"${file.inside}" is of a kind that cannot be imported`
    return { contents: `throw new Error(${JSON.stringify(text)})`, loader: 'js' }
  }
  const text = unwrapImports(readFileSync(file.path, 'utf8'))
  if (!/^(js|ts)x?$/.test(file.loader) || !/import\.meta|__dirname|__filename/.test(text)) {
    return { contents: text, loader: file.loader }
  }
  const bang = /^#!.*/.exec(text)?.[0] ?? ''
  // On the first line, so that line numbers in messages stay the author's.
  const contents = `${hereDeclaration(file, target)}${text.slice(bang.length)}`
  return { contents, loader: file.loader }
}

/** Undoes what TypeScript wraps around `import()` of a template, which hides what it may match. */
function unwrapImports(text: string): string {
  return text.replace(
    /\bimport\(__rewriteRelativeImportExtension\((`[^`]*)`\)\)/g,
    (_call, template: string) => `import(${template.replace(/\.([cm]?)tsx?$/, '.$1js')}\`)`,
  )
}

function hereDeclaration(file: Admitted, target: BundleTarget): string {
  return `var __caisson_here=${JSON.stringify(toHere(file, target))};`
}

function toHere(file: Admitted, target: BundleTarget): object {
  if (target === 'isolate') {
    const filename = `package:/${file.inside}`
    return { url: packageUrl(file.inside), filename, dirname: dirname(filename) }
  }
  const path = target === 'thread' ? file.path : packagePath(file)
  return { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) }
}

/** Where a program of the process engine finds a file of its own. */
function packagePath({ inside }: Admitted): string {
  return `/package/${inside}`
}
