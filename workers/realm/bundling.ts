import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  build,
  type BuildOptions,
  type OnResolveArgs,
  type OnResolveResult,
  type Plugin,
  type PluginBuild,
} from 'esbuild'

/** esbuild options for a script that contains the realm: one strict script, lazy parts kept lazy. */
export const REALM_BUILD: BuildOptions = {
  bundle: true,
  platform: 'neutral',
  format: 'iife',
  target: 'es2024',
  mainFields: ['module', 'main'],
  charset: 'ascii',
  legalComments: 'none',
  tsconfigRaw: {},
  // Also what makes esbuild wrap each module in a bare function; with names kept it would wrap it in
  // an object with one odd key, whose hidden class costs each context more than the module does.
  minify: true,
  // Strict: no function of the realm has `caller` or `arguments`. The value of the script is 0.
  banner: { js: '"use strict";' },
  footer: { js: ';0' },
  plugins: [realmLibraries()],
}

// What libraries import under the name of a Node module is the realm's own module.
const OWN: Readonly<Record<string, string>> = {
  buffer: './lazy/buffer.ts',
  events: './lazy/modules/events.ts',
  'string_decoder/': './lazy/modules/string-decoder.ts',
  'util/': './lazy/modules/util-for-libraries.ts',
  tr46: './lazy/idna.ts',
  qs: './lazy/modules/querystring.ts',
}
// Parts of libraries for which the realm has its own.
const REPLACED: readonly { of: string; names: RegExp; by: string }[] = [
  // Errors with Node's names and codes.
  { of: 'path-unified', names: /^\.\/validators\.js$/, by: './lazy/parts/path-validators.ts' },
  {
    of: 'whatwg-url',
    names: /^(\.\/encoding|@exodus\/bytes\/whatwg\.js|@exodus\/bytes\/encoding\.js)$/,
    by: './lazy/parts/url-encoding.ts',
  },
]
// What old libraries bring along to do what the language does.
const SHIMS: Readonly<Record<string, string>> = {
  'call-bind/callBound':
    'module.exports = (name) => Function.prototype.call.bind(name.split(".").reduce((o, k) => o[k], globalThis))',
  'is-nan': 'module.exports = Number.isNaN',
  'object-is': 'module.exports = Object.is',
  'object-is/polyfill': 'module.exports = () => Object.is',
  'object.assign/polyfill': 'module.exports = () => Object.assign',
  'abort-controller': 'module.exports = globalThis',
  'process/': 'module.exports = globalThis.process',
}
const SHIM = 'caisson-realm-shim'
const CHUNK = 'caisson-realm-chunk'
const RESOLVED: unique symbol = Symbol('resolved')
// Globals that libraries look for when they load, and that are not there, or not yet.
const PREFIXES: readonly { files: RegExp; text: string }[] = [
  {
    // Would find no native codec on the global object but the one it is about to become.
    files: /@exodus[\\/]bytes[\\/].*\.c?js$/,
    text: 'const globalThis = { escape, decodeURIComponent };\n',
  },
  {
    files: /(webidl-conversions|whatwg-url)[\\/]lib[\\/](index|utils)\.js$/,
    text:
      'const SharedArrayBuffer = class { get byteLength() { throw new TypeError() } ' +
      'get growable() { throw new TypeError() } };\n',
  },
]
// What libraries write or read where a realm that many calls share is not what they expect.
const EDITS: readonly { files: RegExp; edits: readonly (readonly [RegExp, string])[] }[] = [
  {
    files: /assert[\\/]build[\\/]internal[\\/]assert[\\/]assertion_error\.js$/,
    edits: [[/Error\.stackTraceLimit = \w+;/g, '']],
  },
  // So that sealing a realm can make it a value (frozen/seal.ts).
  {
    files: /events[\\/]events\.js$/,
    edits: [[/'defaultMaxListeners', \{/, "'defaultMaxListeners', { configurable: true,"]],
  },
  {
    files: /node-inspect-extracted[\\/]dist[\\/]inspect\.js$/,
    edits: [
      [/"defaultOptions",\{/, '"defaultOptions",{configurable:true,'],
      // As ownConstructor() of intrinsics.ts.
      [/(\w+)\((\w+),"constructor"\)/g, 'caissonShared($1($2,"constructor"))'],
      [/^/, 'const caissonShared=(d)=>d&&d.get?{value:d.get.originalValue}:d;'],
    ],
  },
]
const CHUNK_FILES = /[\\/]realm[\\/]lazy[\\/](modules[\\/])?[\w-]+\.ts$/
const OWN_FILES = /[\\/]realm[\\/](?!lazy[\\/]parts[\\/])/

/** Finds the lazy files and turns each into one function, evaluated when it is first required. */
function realmLibraries(): Plugin {
  return {
    name: 'caisson-realm-libraries',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async (args): Promise<OnResolveResult | undefined> => {
        if (args.pluginData === RESOLVED || args.kind === 'entry-point') return undefined
        const found = await resolveOnward(build, args)
        return CHUNK_FILES.test(found.path) ? { path: found.path, namespace: CHUNK } : found
      })
      build.onLoad({ filter: /.*/, namespace: CHUNK }, async ({ path }) => ({
        contents: await bundleChunk(path),
        resolveDir: dirname(path),
      }))
    },
  }
}

/**
 * One lazy file with its parts and libraries as CommonJS, which is one function: what is in it does
 * not exist before it is called. The realm's other files are left out.
 */
async function bundleChunk(entry: string): Promise<string> {
  const result = await build({
    bundle: true,
    entryPoints: [entry],
    // What is left out is named relative to this.
    outdir: dirname(entry),
    write: false,
    logLevel: 'silent',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'cjs',
    target: 'es2024',
    minify: true,
    // Tools read constructor.name.
    keepNames: true,
    tsconfigRaw: {},
    plugins: [chunkParts()],
  })
  return result.outputFiles[0]?.text ?? ''
}

function chunkParts(): Plugin {
  return {
    name: 'caisson-realm-chunk',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async (args): Promise<OnResolveResult | undefined> => {
        if (args.pluginData === RESOLVED || args.kind === 'entry-point') return undefined
        if (SHIMS[args.path] !== undefined) return { path: args.path, namespace: SHIM }
        const found = await resolveOnward(build, args)
        return OWN_FILES.test(found.path) ? { ...found, external: true } : found
      })
      build.onLoad({ filter: /.*/, namespace: SHIM }, ({ path }) => ({
        contents: SHIMS[path] ?? '',
      }))
      // A table becomes one string, which the engine skips; a literal it would have to parse at once.
      build.onLoad({ filter: /\.json$/ }, async ({ path }) => ({
        contents: `module.exports = JSON.parse(${JSON.stringify(await readFile(path, 'utf8'))})`,
      }))
      for (const { files, edits } of EDITS) {
        build.onLoad({ filter: files }, async ({ path }) => {
          let contents = await readFile(path, 'utf8')
          for (const [from, to] of edits) {
            if (contents.search(from) < 0) throw new Error(`${path} is not what it was`)
            contents = contents.replace(from, to)
          }
          return { contents }
        })
      }
      for (const { files, text } of PREFIXES) {
        build.onLoad({ filter: files }, async ({ path }) => ({
          contents: text + (await readFile(path, 'utf8')),
        }))
      }
    },
  }
}

function resolveOnward(
  build: PluginBuild,
  { path, importer, resolveDir, kind }: OnResolveArgs,
): Promise<OnResolveResult & { path: string }> {
  const options = { importer, resolveDir, kind, pluginData: RESOLVED }
  return build.resolve(toTarget(path, importer), options)
}

function toTarget(name: string, importer: string): string {
  // Libraries say `string_decoder/` to mean the package, and so does the realm.
  if (importer.startsWith(import.meta.dirname)) return name
  const replaced = REPLACED.find(({ of, names }) => importer.includes(of) && names.test(name))
  const own = replaced?.by ?? OWN[name]
  return own === undefined ? name : fileURLToPath(new URL(own, import.meta.url))
}
