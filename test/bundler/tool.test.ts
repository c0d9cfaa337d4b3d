import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundleTool, type BundleTarget } from '../../workers/bundler/tool.ts'

let folder: string
let root: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-bundle-')))
  root = join(folder, 'tool')
  mkdirSync(root)
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (path: string, text: string | object = ''): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), typeof text === 'string' ? text : JSON.stringify(text))
}
const bundle = (entry = 'index.ts', target: BundleTarget = 'isolate') =>
  bundleTool({ root, entry: join(root, entry), target })
const run = async (code: string): Promise<Record<string, unknown>> => {
  const module = { exports: {} as Record<string, unknown> }
  const factory = runInThisContext(`(${code})`) as (...parts: unknown[]) => unknown
  await factory((name: string) => ({ named: name }), module, module.exports)
  return module.exports
}

describe('bundleTool() gives one function that', () => {
  test('needs no Promise without top-level await, and is async with it', async () => {
    write('tool/index.ts', 'export const a: number = 1')
    const plain = await bundle()
    expect(plain.code.startsWith('(')).toBe(true)
    expect(await run(plain.code)).toMatchObject({ a: 1 })
    write('tool/index.ts', 'export const a = await Promise.resolve(2)')
    const waiting = await bundle()
    expect(waiting.code.startsWith('async (')).toBe(true)
    expect(await run(waiting.code)).toMatchObject({ a: 2 })
  })

  test('asks the sandbox for Node modules and virtual packages, by subpath too', async () => {
    write(
      'tool/index.ts',
      `import path from 'path'
       import { defineTool } from '@deepseek-ai/dsh-tools/types'
       import * as fs from 'node:fs/promises'
       export const all = [path, defineTool, fs]`,
    )
    const { code, imports } = await bundle()
    expect(imports).toEqual(['@deepseek-ai/dsh-tools', 'node:fs/promises', 'node:path'])
    const { all } = (await run(code)) as { all: { named?: string }[] }
    expect(all[0]?.named).toBe('node:path')
    expect(all[2]?.named).toBe('node:fs/promises')
  })

  test('runs in strict mode and has no require of its own', async () => {
    write('tool/index.ts', 'export const self = (function () { return this })()')
    expect((await run((await bundle()).code))['self']).toBe(undefined)
  })

  test('carries JSON, text and packages of its own node_modules', async () => {
    write('tool/data.json', { a: [1] })
    write('tool/note.md', '# hi')
    write('tool/node_modules/dep/package.json', { exports: { node: './n.js', default: './d.js' } })
    write('tool/node_modules/dep/n.js', 'exports.kind = "node"')
    write(
      'tool/index.ts',
      `import data from './data.json'
       import note from './note.md'
       import { kind } from 'dep'
       export { data, note, kind }`,
    )
    expect(await run((await bundle()).code)).toMatchObject({
      data: { a: [1] },
      note: '# hi',
      kind: 'node',
    })
  })

  test.each(['`./parts/${name}.js`', '__rewriteRelativeImportExtension(`./parts/${name}.ts`)'])(
    'carries every file that import(%s) can mean',
    async (specifier) => {
      write('tool/parts/a.js', 'export const part = "a"')
      write('tool/parts/b.js', 'export const part = "b"')
      write('tool/index.js', `export const get = (name) => import(${specifier})`)
      const { get } = (await run((await bundle('index.js')).code)) as {
        get(name: string): Promise<unknown>
      }
      expect(await get('b')).toMatchObject({ part: 'b' })
      await expect(async () => get('c')).rejects.toThrow(/parts\/c\.js/)
    },
  )

  test('throws where a file that is no module is reached', async () => {
    write('tool/picture.png', 'canary')
    write('tool/index.ts', `export const load = () => import('./picture.png')`)
    const { code } = await bundle()
    const { load } = (await run(code)) as { load(): Promise<unknown> }
    await expect(load()).rejects.toThrow('"picture.png" is of a kind that cannot be imported')
    expect(code).not.toContain('canary')
  })

  test('ignores the tsconfig.json of the tool', async () => {
    write('secret.ts', 'export const secret = 1')
    write('tool/tsconfig.json', { compilerOptions: { paths: { '#s': ['../secret.ts'] } } })
    write('tool/index.ts', `import { secret } from '#s'\nexport { secret }`)
    await expect(bundle()).rejects.toThrow(/"#s"/)
  })

  test('names no folder of the host', async () => {
    write('tool/lib/x.cjs', 'exports.here = __dirname')
    write('tool/index.ts', `export { here } from './lib/x.cjs'\nexport const url = import.meta.url`)
    const { code } = await bundle()
    expect(code).not.toContain(folder)
    expect(await run(code)).toMatchObject({ here: 'package:/lib', url: 'package:/index.ts' })
  })

  test('for a thread knows its real place and all of Node', async () => {
    write('tool/index.ts', `import 'node:child_process'\nexport const url = import.meta.url`)
    const { code, imports } = await bundle('index.ts', 'thread')
    expect(imports).toEqual(['node:child_process'])
    expect((await run(code))['url']).toBe(`file://${root}/index.ts`)
  })

  test('throws where a withheld module is reached by require or import()', async () => {
    write(
      'tool/index.ts',
      `export const late = () => import('node:net')
       export const old = () => require('child_process')`,
    )
    const { late, old } = (await run((await bundle()).code)) as {
      late(): Promise<unknown>
      old(): unknown
    }
    await expect(late()).rejects.toThrow(/node:net .* process engine .* fetch/)
    expect(old).toThrow(/node:child_process .* process engine/)
  })
})

describe('bundleTool() refuses', () => {
  const refuse = async (reason: RegExp, target: BundleTarget = 'isolate'): Promise<void> => {
    const error: unknown = await bundle('index.ts', target).catch((thrown: unknown) => thrown)
    expect(String(error)).toMatch(reason)
    expect(String(error)).not.toContain(folder)
    expect(String(error)).not.toContain('canary')
  }

  test('ATK-077 a file outside the root by path, naming the import', async () => {
    write('secret.json', { canary: 1 })
    write('tool/lib/a.ts', `\n\nimport secret from '../../secret.json'\nexport { secret }`)
    write('tool/index.ts', `export * from './lib/a.ts'`)
    await refuse(/leads out of the tool's folder \(lib\/a\.ts:3\)/)
  })

  test('what a repository keeps of its history, and the configuration of a host', async () => {
    for (const path of [
      '.git/hooks.json',
      'deep/.git/x.json',
      '.hg/x.json',
      'caisson.config.json',
    ]) {
      write(`tool/${path}`, { canary: 1 })
      write('tool/index.ts', `import data from './${path}'\nexport { data }`)
      await refuse(/is named like a secret and is not bundled/)
    }
  })

  test('ATK-077 a file outside the root by absolute path and by URL', async () => {
    write('secret.json', { canary: 1 })
    write('tool/index.ts', `import '${folder}/secret.json'`)
    await refuse(/leads out/)
    write('tool/index.ts', `import 'file://${folder}/secret.json'`)
    await expect(bundle()).rejects.toThrow(/imported by URL/)
    write('tool/index.ts', `import 'https://127.0.0.1/x.js'`)
    await refuse(/imported by URL/)
  })

  test('ATK-077 a link to a file or folder outside', async () => {
    write('outside/secret.json', { canary: 1 })
    symlinkSync(join(folder, 'outside'), join(root, 'inside'))
    symlinkSync(join(folder, 'outside/secret.json'), join(root, 'data.json'))
    write('tool/index.ts', `import './inside/secret.json'`)
    await refuse(/leads out/)
    write('tool/index.ts', `import './data.json'`)
    await refuse(/leads out .*index\.ts:1/)
  })

  test('ATK-077 a dependency that is a link out, or whose main leads out', async () => {
    write('outside/package.json', { main: 'index.js' })
    write('outside/index.js', 'canary()')
    mkdirSync(join(root, 'node_modules'))
    symlinkSync(join(folder, 'outside'), join(root, 'node_modules/linked'))
    write('tool/index.ts', `import 'linked'`)
    await refuse(/leads out .*index\.ts:1/)
    write('tool/node_modules/crooked/package.json', { main: '../../../outside/index.js' })
    write('tool/index.ts', `import 'crooked'`)
    await refuse(/leads out/)
    write('tool/node_modules/exporting/package.json', { exports: './../../../outside/index.js' })
    write('tool/index.ts', `import 'exporting'`)
    await refuse(/exporting/)
  })

  test('packages of a node_modules above the root', async () => {
    write('node_modules/hoisted/index.js', 'exports.canary = 1')
    write('tool/index.ts', `import 'hoisted'`)
    await refuse(/leads out/)
  })

  test('ATK-078 native code and WebAssembly, naming the engine that runs them', async () => {
    write('tool/addon.node', 'canary')
    write('tool/index.ts', `import './addon.node'`)
    await refuse(/"addon\.node" is native code, which runs only in the process engine/)
    await refuse(/native code.* process engine/, 'thread')
    write('tool/code.wasm', 'canary')
    write('tool/index.ts', `export const load = () => import('./code.wasm')`)
    await refuse(/WebAssembly, which runs only in the process engine/)
  })

  test('ATK-078 to run anything a package asks for at installation', async () => {
    const trace = join(folder, 'trace')
    write('tool/package.json', {
      scripts: { preinstall: `touch ${trace}`, prepare: `touch ${trace}` },
    })
    write('tool/index.ts', 'export const a = 1')
    await bundle()
    expect(existsSync(trace)).toBe(false)
  })

  test.each(['.env', 'config/.env.local', 'server.pem', 'id_rsa', 'credentials.json', '.npmrc'])(
    'a file named like a secret: %s',
    async (name) => {
      write(`tool/${name}`, '{"canary":1}')
      write('tool/index.ts', `import './${name}'`)
      await refuse(/named like a secret/)
    },
  )

  test('static imports of Node modules that are not offered, all of them at once', async () => {
    write('tool/index.ts', `import 'node:net'\nimport 'child_process'`)
    const error: unknown = await bundle().catch((thrown: unknown) => thrown)
    expect((error as { violations: string[] }).violations).toHaveLength(2)
  })

  test('a file that is missing or no regular file', async () => {
    write('tool/index.ts', `import './gone.ts'`)
    await refuse(/"\.\/gone\.ts" does not exist \(index\.ts:1\)/)
  })

  test('more source than fits', async () => {
    write('tool/big.json')
    truncateSync(join(root, 'big.json'), 21 * 1024 * 1024)
    write('tool/index.ts', `import './big.json'`)
    await refuse(/larger than 20 MB/)
  })
})
