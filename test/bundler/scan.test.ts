import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SourceUse } from '../../workers/bundler/read-use.ts'
import { scanTool } from '../../workers/bundler/scan.ts'
import { removeFolder } from '../helpers/folders.ts'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'caisson-scan-'))
})
afterAll(() => removeFolder(root))

async function scan(code: string, more: Record<string, string> = {}): Promise<SourceUse> {
  const entry = join(root, 'entry.ts')
  await Promise.all(
    Object.entries({ 'entry.ts': code, ...more }).map(([name, text]) =>
      writeFile(join(root, name), text),
    ),
  )
  return scanTool({ root, entry })
}

const NOTHING: SourceUse = {
  modules: [],
  packages: [],
  fetch: false,
  hosts: [],
  env: [],
  unseen: [],
}

describe('scanTool()', () => {
  test('sees nothing in code that only computes', async () => {
    const code = `export const a = { fetch: 1, process: { env: { A: 1 } } }
      export const b = (fetch: () => void) => fetch()
      export const c = () => { const process = { env: { B: 2 } }; return process.env.B }
      export const d = typeof fetch`
    expect(await scan(code)).toEqual(NOTHING)
  })

  test('names the Node modules and the packages of the sandbox, however they are imported', async () => {
    const code = `import { join } from 'path'
      import { defineTool } from '@deepseek-ai/dsh-tools/whatever'
      export * from './other.js'
      export const a = () => import('node:dns/promises')
      export const b = require('child_process')
      export const c = process.getBuiltinModule('net')
      export const d = [join, defineTool]`
    const other = `import type { Worker } from 'node:worker_threads'
      export { readFileSync } from 'fs'
      export type T = Worker`
    const { modules, packages, unseen } = await scan(code, { 'other.ts': other })
    expect(modules).toEqual([
      'node:child_process',
      'node:dns/promises',
      'node:fs',
      'node:net',
      'node:path',
    ])
    expect(packages).toEqual(['@deepseek-ai/dsh-tools'])
    expect(unseen).toEqual([])
  })

  test('says when a name is made at run time', async () => {
    const { unseen } = await scan('export const a = (name: string) => import(name)')
    expect(unseen).toEqual(['imports whose name is made at run time'])
  })

  test.each([
    ['the global', 'fetch(url)'],
    ['a property of the global object', 'globalThis.fetch(url)'],
    ['an indexed property', "self['fetch'](url)"],
    ['a default', '((get = fetch) => get(url))()'],
    [
      'a part taken out of the global object',
      '(() => { const { fetch: f } = globalThis; f(url) })()',
    ],
  ])('sees fetch as %s', async (_what, use) => {
    expect(await scan(`const url: string = 'x'; export const a = () => ${use}`)).toMatchObject({
      fetch: true,
    })
  })

  test('collects the hosts of addresses, also of those written in parts', async () => {
    const code = `const BASE = 'https://' + 'API.example.com'
      export const a = (id: string) => fetch(\`\${BASE}/v1/\${id}\`)
      export const b = (id: string) => fetch(\`http://user@b.example:8080/\${id}\`)
      export const c = (host: string) => fetch(\`https://\${host}/\`)
      // https://comment.example
      export const d = 'see https://not-an-address.example for more'`
    expect((await scan(code)).hosts).toEqual(['*', 'api.example.com', 'b.example:8080'])
  })

  test.each([
    ['a property', 'process.env.A_NAME'],
    ['an index', "process.env['A_NAME']"],
    ['an optional chain', 'globalThis.process?.env?.A_NAME'],
    ['a part', '(() => { const { A_NAME } = process.env; return A_NAME })()'],
    ['a question', "'A_NAME' in process.env"],
    ['an alias', '(() => { const env = process.env ?? {}; return env.A_NAME })()'],
    [
      'an alias of an alias',
      '(() => { const p = process; const { env } = p; return env.A_NAME })()',
    ],
    ['a default of a parameter', '((env = process.env) => env.A_NAME)()'],
    ['a choice', "(typeof process === 'undefined' ? {} : process.env).A_NAME"],
  ])('names what is read from the environment as %s', async (_what, use) => {
    const { env } = await scan(`declare const process: any; export const a = () => ${use}`)
    expect(env).toEqual(['A_NAME'])
  })

  test('knows the environment through the process module', async () => {
    const code = `import process, { env } from 'node:process'
      import * as all from 'process'
      export const a = [env.ONE, process.env.TWO, all.default.env.THREE]`
    expect((await scan(code)).env).toEqual(['ONE', 'THREE', 'TWO'])
  })

  test.each([
    ['an index', 'process.env[name]'],
    ['a copy', '({ ...process.env })'],
    ['the whole of it', 'Object.keys(process.env)'],
    ['the rest of it', '(() => { const { A, ...rest } = process.env; return rest })()'],
  ])('says that names are open for %s', async (_what, use) => {
    const code = `declare const process: any; export const a = (name: string) => ${use}`
    expect((await scan(code)).env).toContain('*')
  })

  test('reads what it cannot follow no further, instead of failing', async () => {
    const deep = `export const a = ${'['.repeat(3_000)}${']'.repeat(3_000)}`
    const scanned = await scan(deep)
    expect([[], ['code that is nested too deeply to be read']]).toContainEqual(scanned.unseen)
    const large = `export const a = [${'"0123456789",'.repeat(400_000)}]`
    expect((await scan(large)).unseen).toEqual(['more than 4 MB of code, which is not read'])
  })

  test('reads no file outside the folder of the tool', async () => {
    await expect(scan("export * from '../../etc/hostname'")).rejects.toThrow(/./)
    await expect(scan("import x from '/etc/hostname'; export { x }")).rejects.toThrow(
      "an import leads out of the tool's folder",
    )
  })
})
