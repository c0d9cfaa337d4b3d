import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFsRig } from './fs-rig.ts'

const DENIED = 'FS_SANDBOX_DENIED'

describe('the fs broker and paths', () => {
  test.each([
    ...['../outside/canary.txt', '..', 'a/../../outside/canary.txt', 'a/../a.txt', '/etc/passwd'],
    ...['/workspace/../outside/canary.txt', '/workspace-evil/x', '/workspacea.txt', '//etc/passwd'],
    ...['a.txt\0', 'a.txt\0.md', 'a\n.txt', 'a//b', 'a/', 'a.txt/', '/', '', 'a\\b', '..\\outside'],
    ...[
      'CON',
      'nul',
      'COM1',
      'a/PRN',
      'CON:',
      'lpt1',
      '/dev/null',
      '/dev/stdin',
      '/proc/self/environ',
    ],
    ...['file:///etc/passwd', 'workspace:../x', 'workspace://a.txt', 'package:/../x', 'other:/x'],
    ...['C:\\x', 'C:/x', '\ud800', `${'x'.repeat(300)}`, 'a/'.repeat(100)],
  ])('ATK-091 %j is refused for every use', async (path) => {
    const rig = createFsRig({ files: { 'a.txt': 'a' } })
    const { outcome, write } = rig.attempt({})
    expect(await outcome('readFile', path)).toBe(DENIED)
    expect(await write(path, 'x')).toBe(DENIED)
    expect(await outcome('readdir', path)).toBe(DENIED)
    expect(await outcome('mkdir', path)).toBe(DENIED)
    expect(await outcome('rm', path)).toBe(DENIED)
    expect(await outcome('rename', 'a.txt', { to: path })).toBe(DENIED)
    expect(readdirSync(rig.workspace)).toEqual(['a.txt'])
    expect(readdirSync(rig.outside)).toEqual(['canary.txt'])
  })

  test('ATK-091 a sibling whose name begins like the root is outside', async () => {
    const rig = createFsRig()
    mkdirSync(`${rig.workspace}-evil`)
    symlinkSync(`${rig.workspace}-evil`, rig.at('link'))
    expect(await rig.attempt({}).write('link/x', 'x')).toBe(DENIED)
    expect(readdirSync(`${rig.workspace}-evil`)).toEqual([])
  })

  test.each(['a.txt', './a.txt', '/workspace/a.txt', 'workspace:/a.txt', 'workspace:/./a.txt'])(
    '%s is a.txt of the workspace',
    async (path) => {
      const rig = createFsRig({ files: { 'a.txt': 'text' } })
      expect(await rig.attempt().read(path)).toBe('text')
    },
  )

  test('the package is read, never written, and shows no secrets', async () => {
    const rig = createFsRig({
      shipped: { 'data/x.json': '{}', '.env': 'S=1', 'k.pem': 'k' },
      write: ['workspace:/**'],
    })
    const { read, outcome, write, ask } = rig.attempt({})
    expect(await read('package:/data/x.json')).toBe('{}')
    expect(await write('package:/data/y.json', 'x')).toBe(DENIED)
    expect(await outcome('readFile', 'package:/.env')).toBe(DENIED)
    expect(await outcome('readFile', 'package:/k.pem')).toBe(DENIED)
    expect(await ask('readdir', 'package:/')).toEqual({
      entries: [{ name: 'data', type: 'directory' }],
    })
  })

  test('the package shows neither its history nor what other programs obey, however it is granted', async () => {
    const hidden = [
      '.git/config',
      'sub/.git/HEAD',
      '.GIT/config',
      '.mcp.json',
      '.vscode/tasks.json',
    ]
    const rig = createFsRig({
      shipped: Object.fromEntries(
        ['data.json', ...hidden, 'caisson.config.json'].map((path) => [path, '{}']),
      ),
      read: ['package:/**', 'package:/.git/**', 'package:/.git/config', 'package:/.mcp.json'],
    })
    const { read, outcome, ask } = rig.attempt({})
    expect(await read('package:/data.json')).toBe('{}')
    for (const path of [...hidden, 'caisson.config.json', '.git', '.git/../.git/config']) {
      for (const op of ['readFile', 'stat', 'access', 'readdir'])
        expect([path, await outcome(op, `package:/${path}`)]).toEqual([path, DENIED])
    }
    const { entries } = await ask('readdir', 'package:/')
    expect(entries).toEqual([
      { name: 'data.json', type: 'file' },
      { name: 'sub', type: 'directory' },
    ])
  })

  test('ATK-025 what is no path is INVALID_ARGS', async () => {
    const { outcome, write } = createFsRig().attempt({})
    for (const path of [{}, [], 2 ** 53, -1, null, 'x'.repeat(10_000_000)])
      expect(await outcome('readFile', path)).toBe('INVALID_ARGS')
    expect(await outcome('chmod', 'a')).toBe('INVALID_ARGS')
    expect(await outcome('readFile', 'a', { extra: 1 })).toBe('INVALID_ARGS')
    expect(await outcome('writeFile', 'a', { data: 'no base64!' })).toBe('INVALID_ARGS')
    expect(await write('a', 'x', { flag: 'r+' })).toBe('INVALID_ARGS')
    expect(await write('a', 'x', { mode: -1 })).toBe('INVALID_ARGS')
  })
})

describe('the fs broker and links', () => {
  test('ATK-092 FS-07 links that lead out are refused, wherever they stand', async () => {
    const rig = createFsRig({ files: { 'dir/a.txt': 'a' } })
    symlinkSync(join(rig.outside, 'canary.txt'), rig.at('file'))
    symlinkSync('file', rig.at('again'))
    symlinkSync(rig.outside, rig.at('folder'))
    symlinkSync('../outside', rig.at('relative'))
    symlinkSync('../../outside/canary.txt', rig.at('dir/deep'))
    symlinkSync(join(rig.outside, 'new.txt'), rig.at('dangling'))
    symlinkSync('/proc/self/environ', rig.at('environ'))
    symlinkSync('loop', rig.at('loop'))
    symlinkSync('/', rig.at('slash'))
    const { outcome, write } = rig.attempt({})
    const paths = [
      ...['file', 'again', 'folder/canary.txt', 'relative/canary.txt', 'dir/deep', 'dangling'],
      ...['environ', 'loop', 'slash/etc/passwd'],
    ]
    for (const path of paths) {
      expect(await outcome('readFile', path), path).toBe(DENIED)
      expect(await write(path, 'x'), path).toBe(DENIED)
      expect(await outcome('stat', path), path).toBe(DENIED)
      expect(await outcome('realpath', path), path).toBe(DENIED)
    }
    for (const path of ['folder', 'relative', 'slash'])
      expect(await outcome('readdir', path), path).toBe(DENIED)
    expect(await outcome('mkdir', 'folder/new')).toBe(DENIED)
    expect(await outcome('rm', 'folder/canary.txt')).toBe(DENIED)
    expect(await outcome('rename', 'dir/a.txt', { to: 'folder/a.txt' })).toBe(DENIED)
    expect(await outcome('copyFile', 'dir/a.txt', { to: 'dangling' })).toBe(DENIED)
    expect(readdirSync(rig.outside)).toEqual(['canary.txt'])
    expect(readFileSync(join(rig.outside, 'canary.txt'), 'utf8')).toBe('canary')
  })

  test('ATK-092 whether a link’s target outside exists makes no difference', async () => {
    const rig = createFsRig()
    symlinkSync(join(rig.outside, 'canary.txt'), rig.at('there'))
    symlinkSync(join(rig.outside, 'missing.txt'), rig.at('missing'))
    const { ask } = rig.attempt({})
    const text = async (path: string): Promise<string> =>
      ask('readFile', path).then(String, (error: Error) => error.message.replace(path, 'PATH'))
    expect(await text('there')).toBe(await text('missing'))
  })

  test('links inside the root are followed, to files that are granted', async () => {
    const rig = createFsRig({
      files: { 'dir/a.txt': 'a', '.env': 'secret', 'other/b.txt': 'b' },
      read: ['workspace:/dir/**', 'workspace:/l*', 'workspace:/back/**'],
    })
    symlinkSync('dir/a.txt', rig.at('link'))
    symlinkSync(rig.at('dir'), rig.at('labs'))
    symlinkSync('./dir/../dir', rig.at('back'))
    symlinkSync('.env', rig.at('lenv'))
    symlinkSync('other/b.txt', rig.at('lother'))
    const { read, outcome, ask } = rig.attempt({})
    expect(await read('link')).toBe('a')
    expect(await read('back/a.txt')).toBe('a')
    expect(await outcome('readFile', 'lenv')).toBe(DENIED)
    expect(await outcome('readFile', 'lother')).toBe(DENIED)
    expect(await ask('realpath', 'link')).toEqual({ path: '/workspace/dir/a.txt' })
    expect(await ask('lstat', 'link')).toMatchObject({ type: 'symlink' })
    expect(await ask('stat', 'link')).toMatchObject({ type: 'file', size: 1 })
  })

  test('writing through a link inside the root replaces what it leads to', async () => {
    const rig = createFsRig({ files: { 'dir/a.txt': 'a' } })
    symlinkSync('dir/a.txt', rig.at('link'))
    const { read, write } = rig.attempt({})
    await read('link')
    expect(await write('link', 'new')).toBe('ok')
    expect(readFileSync(rig.at('dir/a.txt'), 'utf8')).toBe('new')
    expect(readFileSync(rig.at('link'), 'utf8')).toBe('new')
  })

  test('only regular files are read; a pipe is not waited for', async () => {
    const rig = createFsRig({ files: { 'dir/a.txt': 'a' } })
    execFileSync('mkfifo', [rig.at('pipe')])
    const { outcome, write, ask } = rig.attempt({})
    expect(await outcome('readFile', 'pipe')).toBe(DENIED)
    expect(await write('pipe', 'x')).toBe(DENIED)
    expect(await outcome('readFile', 'dir')).toBe('failed EISDIR')
    expect(await write('dir', 'x')).toBe('failed EISDIR')
    expect(await ask('stat', 'pipe')).toMatchObject({ type: 'other' })
  })

  test('no text of a refusal or failure holds a path of the host', async () => {
    const rig = createFsRig({ files: { 'dir/a.txt': 'a' } })
    symlinkSync(rig.outside, rig.at('link'))
    const { ask } = rig.attempt({})
    const asks: [string, string, object?][] = [
      ['readFile', 'missing'],
      ['readFile', 'link/x'],
      ['readFile', 'dir'],
      ['mkdir', 'dir'],
      ['rmdir', 'dir'],
      ['readFile', '/etc/passwd'],
      ['rename', 'dir/a.txt', { to: 'gone/x' }],
    ]
    for (const [op, path, extra] of asks) {
      const said = await ask(op, path, { ...extra }).catch((error: Error) => ({
        text: error.message,
        facts: Reflect.get(error, 'facts') as unknown,
      }))
      expect(JSON.stringify(said)).not.toContain(rig.workspace)
      expect(JSON.stringify(said)).not.toContain(rig.outside)
    }
    expect(rig.diagnostics).toEqual([])
  })
})

test('a file with a second name outside stays what it was there when it is written', async () => {
  const rig = createFsRig()
  linkSync(join(rig.outside, 'canary.txt'), rig.at('shared'))
  const { read, write } = rig.attempt({})
  await read('shared')
  expect(await write('shared', 'changed')).toBe('ok')
  expect(readFileSync(join(rig.outside, 'canary.txt'), 'utf8')).toBe('canary')
  expect(existsSync(rig.at('shared'))).toBe(true)
})
