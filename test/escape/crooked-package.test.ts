import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LoadedTools } from '../../src/host/load.ts'
import { describeConfined, unconfinable } from '../helpers/confined.ts'
import { makeFolder } from '../helpers/folders.ts'
import { defineTool, openArena, valueOf } from './attack.ts'

const CANARY = 'outside-the-package'
const arena = openArena({
  profiles: [{ name: 'program', engine: 'process', fs: { read: ['package:/**'] } }],
})
const ENGINES = ['pure', ...(unconfinable === undefined ? ['program'] : [])]

/** Files by path, beside a folder `outside` that no tool may reach; links are given by their target. */
async function lay(files: Readonly<Record<string, string | object>>): Promise<string> {
  const folder = makeFolder('caisson-escape-')
  const all = {
    'outside/index.mjs': defineTool('attack', `return '${CANARY}'`),
    'outside/index.js': `module.exports = '${CANARY}'`,
    'outside/run.sh': `echo ${CANARY}`,
    'tool/package.json': {},
    ...files,
  }
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    if (typeof content === 'string' && content.startsWith('-> '))
      symlinkSync(content.slice('-> '.length), join(folder, path))
    else
      writeFileSync(
        join(folder, path),
        typeof content === 'string' ? content : JSON.stringify(content),
      )
  }
  return folder
}

async function refuse(load: Promise<LoadedTools>, reason: RegExp): Promise<void> {
  const error: unknown = await load.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'LOAD_FAILED' })
  expect(String(error)).toMatch(reason)
  expect(JSON.stringify(error)).not.toContain(CANARY)
  expect(arena.host.tools.get('attack')).toBeUndefined()
}

describe.each(ENGINES)('under profile %s', (profile) => {
  test.each([
    ['main', { main: '../outside/index.mjs' }],
    ['exports', { exports: { '.': { import: './../outside/index.mjs' } } }],
    ['a main that is a link', { main: 'linked.mjs' }],
  ])('ATK-077 a package whose code lies elsewhere is refused: %s', async (_what, manifest) => {
    const folder = await lay({
      'tool/package.json': manifest,
      'tool/linked.mjs': '-> ../outside/index.mjs',
    })
    await refuse(arena.host.tools.load(join(folder, 'tool'), { profile }), /leads out/)
  })

  test.each([
    ['its folder is a link', { 'tool/node_modules/dep': '-> ../../outside' }],
    ['its main', { 'tool/node_modules/dep/package.json': { main: '../../../outside/index.js' } }],
  ])('ATK-077 a dependency that lies elsewhere is refused: %s', async (_what, files) => {
    const source = `import found from 'dep'\n${defineTool('attack', 'return found')}`
    const folder = await lay({ ...files, 'tool/index.mjs': source })
    await refuse(arena.host.tools.load(join(folder, 'tool'), { profile }), /leads out/)
  })

  test('ATK-077 a dependency that lies elsewhere is not found by a name made up later either', async () => {
    const body = `
      const said = []
      for (const name of ['dep', './node_modules/dep/index.js', '/package/node_modules/dep/index.js']) {
        const at = [name, ''].join('')
        try { said.push(require(at)) } catch { /* as it should be */ }
        try { said.push((await import(at)).default) } catch { /* as it should be */ }
      }
      return said`
    const folder = await lay({
      'tool/node_modules/dep': '-> ../../outside',
      'tool/index.mjs': defineTool('attack', body),
    })
    await using _loaded = await arena.host.tools.load(join(folder, 'tool'), { profile })
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toEqual([])
  })

  test('ATK-078 no script of a package is run, whatever it is called', async () => {
    const folder = await lay({ 'tool/index.mjs': defineTool('attack', 'return 1') })
    const trace = join(folder, 'trace')
    const names = ['preinstall', 'install', 'postinstall', 'prepare', 'prestart', 'start', 'build']
    const scripts = Object.fromEntries(names.map((name) => [name, `touch ${trace}`]))
    writeFileSync(join(folder, 'tool/package.json'), JSON.stringify({ scripts }))
    await using _loaded = await arena.host.tools.load(join(folder, 'tool'), { profile })
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe(1)
    expect(existsSync(trace)).toBe(false)
  })
})

test('ATK-078 native code is refused in an isolate, directly and in a dependency', async () => {
  const folder = await lay({
    'tool/fast.node': CANARY,
    'tool/index.mjs': `import './fast.node'\n${defineTool('attack', 'return 1')}`,
    'tool/deep.mjs': `import 'dep'\n${defineTool('attack', 'return 1')}`,
    'tool/node_modules/dep/index.js': `module.exports = require('./build/dep.node')`,
    'tool/node_modules/dep/build/dep.node': CANARY,
  })
  for (const source of ['index.mjs', 'deep.mjs', 'fast.node'])
    await refuse(arena.host.tools.load(join(folder, 'tool', source)), /native code.*process engine/)
})

describeConfined('a command', () => {
  const manifest = { name: 'attack', description: 'x', parameters: { type: 'object' } }

  test('ATK-077 whose manifest or program lies elsewhere is refused', async () => {
    const folder = await lay({
      'outside/attack.tool.json': { ...manifest, command: ['echo', CANARY] },
      'tool/linked.tool.json': '-> ../outside/attack.tool.json',
      'tool/run.sh': '-> ../outside/run.sh',
      'tool/program.tool.json': { ...manifest, command: ['sh', 'package:/run.sh'] },
      'tool/folder': '-> ../outside',
      'tool/folder.tool.json': { ...manifest, command: ['sh', 'package:/folder/run.sh'] },
    })
    for (const name of ['linked', 'program', 'folder'])
      await refuse(arena.host.tools.load(join(folder, `tool/${name}.tool.json`)), /leads out/)
  })

  test('ATK-077 with a pipe among its files keeps nobody waiting', async () => {
    const folder = await lay({
      'tool/piped.tool.json': { ...manifest, command: ['sh', 'package:/pipe.sh'] },
    })
    execFileSync('mkfifo', [join(folder, 'tool/pipe.sh')])
    const source = join(folder, 'tool/piped.tool.json')
    const settled = await Promise.race([
      arena.host.tools.load(source).then(async (loaded) => {
        await loaded[Symbol.asyncDispose]()
        return loaded.digest ?? 'no digest'
      }),
      new Promise((resolve) => setTimeout(resolve, 10_000, 'waits')),
    ])
    expect(settled).toBe('no digest')
    await refuse(arena.host.tools.load(source, { pin: 'approved' }), /pipe\.sh/)
  })

  test('ATK-077 of a package whose main lies elsewhere is refused', async () => {
    const folder = await lay({
      'outside/attack.tool.json': { ...manifest, command: ['echo', CANARY] },
      'tool/package.json': { main: '../outside/attack.tool.json' },
    })
    await refuse(arena.host.tools.load(join(folder, 'tool')), /leads out/)
  })
})
