import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { COVERED_FILES, COVERED_FOLDERS } from '../../src/sandbox/covered-names.ts'
import { findCovers } from '../../src/sandbox/find-covers.ts'
import { createPlaceholders } from '../../src/sandbox/placeholders.ts'
import { isProtectedPath } from '../../src/sandbox/protected-names.ts'
import { removeFolder } from '../helpers/folders.ts'

let work = ''
const made: string[] = []
beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-covers-')))
  made.push(work)
})
afterAll(() => {
  for (const folder of made) removeFolder(folder)
})

function put(path: string, text: string = ''): void {
  mkdirSync(join(work, path, '..'), { recursive: true })
  writeFileSync(join(work, path), text)
}

const closedAt = async (to: string) =>
  (await findCovers([{ from: work, to, writable: false }])).map(({ path, kind }) => ({
    path,
    kind,
  }))
const bound = (writable: boolean) => [{ from: work, to: '/workspace', writable }]

test('every covered name is one that no tool may write', () => {
  for (const name of COVERED_FILES) expect(isProtectedPath(name), name).toBe(true)
  for (const name of COVERED_FOLDERS) expect(isProtectedPath(`${name}/file`), name).toBe(true)
})

describe('findCovers()', () => {
  test('closes secrets at any depth, and leaves the rest alone', async () => {
    for (const path of ['a.txt', '.env', 'deep/er/id_rsa', '.ssh/config', 'deep/.env.example'])
      put(path)
    expect(await closedAt('/workspace')).toEqual(
      expect.arrayContaining([
        { path: '/workspace/.env', kind: 'closedFile' },
        { path: '/workspace/deep/er/id_rsa', kind: 'closedFile' },
        { path: '/workspace/.ssh', kind: 'closedFolder' },
      ]),
    )
    expect(await closedAt('/workspace')).toHaveLength(3)
  })

  test('an empty folder with a secret name can be walked into, and stays empty', async () => {
    mkdirSync(join(work, '.gnupg'), { recursive: true })
    expect(await closedAt('/workspace')).toEqual([
      { path: '/workspace/.gnupg', kind: 'emptyFolder' },
    ])
  })

  test('where a program may write it cannot change what others obey', async () => {
    for (const path of ['.git/config', '.bashrc', 'sub/.vscode/tasks.json', 'src/a.ts']) put(path)
    const covers = await findCovers(bound(true))
    expect(covers.map(({ path, kind }) => [path, kind])).toEqual(
      expect.arrayContaining([
        ['/workspace/.git', 'readOnly'],
        ['/workspace/.bashrc', 'readOnly'],
        ['/workspace/sub/.vscode', 'readOnly'],
      ]),
    )
    expect(covers).toHaveLength(3)
    expect(await findCovers(bound(false))).toEqual([])
  })

  test('a link that others obey is not handed over', async () => {
    put('real')
    symlinkSync('real', join(work, '.bashrc'))
    await expect(findCovers(bound(true))).rejects.toMatchObject({ code: 'FS_SANDBOX_DENIED' })
    expect(await findCovers(bound(false))).toEqual([])
  })

  test('of its own package a tool sees neither history nor what others obey, however it is granted', async () => {
    for (const path of ['a.txt', '.git/config', '.mcp.json', 'sub/.vscode/x', 'sub/b.txt', '.env'])
      put(path)
    const closed = async (...binds: readonly { from: string; to: string; writable: boolean }[]) =>
      (await findCovers(binds)).map(({ path, kind }) => `${kind} ${path}`).toSorted()
    expect(await closed({ from: work, to: '/package', writable: false })).toEqual([
      'closedFile /package/.env',
      'closedFile /package/.mcp.json',
      'closedFolder /package/.git',
      'closedFolder /package/sub/.vscode',
    ])
    const parts = ['.git', '.mcp.json', 'sub'].map((name) => ({
      from: join(work, name),
      to: `/package/${name}`,
      writable: false,
    }))
    expect(await closed(...parts)).toEqual([
      'closedFile /package/.mcp.json',
      'closedFolder /package/.git',
      'closedFolder /package/sub/.vscode',
    ])
    // What only looks like it is somebody else's.
    expect(await closed({ from: work, to: '/packages', writable: false })).toEqual([
      'closedFile /packages/.env',
    ])
  })

  test('published packages are not looked through', async () => {
    put('node_modules/some/test/key.pem')
    expect(await findCovers(bound(false))).toEqual([])
  })

  test('what is too much to look through is not shown', async () => {
    for (let n = 0; n < 40; n += 1) {
      mkdirSync(join(work, `${n}`))
      for (let m = 0; m < 520; m += 1) writeFileSync(join(work, `${n}`, `${m}`), '')
    }
    await expect(findCovers(bound(false))).rejects.toMatchObject({
      code: 'FS_SANDBOX_DENIED',
      message: expect.stringContaining('grant a part of it'),
    })
  })

  test('a single file has nothing to cover', async () => {
    put('one')
    const bind = { from: join(work, 'one'), to: '/workspace/one', writable: true }
    expect(await findCovers([bind])).toEqual([])
  })
})

describe('createPlaceholders()', () => {
  test('ATK-097 holds the names that do not exist, and takes them away again', async () => {
    put('.bashrc', 'mine')
    const placeholders = createPlaceholders()
    const release = await placeholders.hold(bound(true))
    for (const name of [...COVERED_FILES, ...COVERED_FOLDERS]) {
      expect(existsSync(join(work, name)), name).toBe(true)
    }
    await release()
    expect(readdirSync(work)).toEqual(['.bashrc'])
  })

  test('they stay for as long as anybody holds them', async () => {
    const placeholders = createPlaceholders()
    const releases = await Promise.all([1, 2, 3].map(() => placeholders.hold(bound(true))))
    await releases[0]?.()
    expect(existsSync(join(work, '.git'))).toBe(true)
    const again = placeholders.hold(bound(true))
    await Promise.all([releases[1]?.(), releases[2]?.()])
    const last = await again
    expect(existsSync(join(work, '.git'))).toBe(true)
    await last()
    expect(readdirSync(work)).toEqual([])
  })

  test('one that is taken away and wanted at the same time is there afterwards', async () => {
    const placeholders = createPlaceholders()
    const first = await placeholders.hold(bound(true))
    const [, second] = await Promise.all([first(), placeholders.hold(bound(true))])
    expect(existsSync(join(work, '.git'))).toBe(true)
    await second()
    expect(readdirSync(work)).toEqual([])
  })

  test('what somebody filled meanwhile is left alone', async () => {
    const placeholders = createPlaceholders()
    const release = await placeholders.hold(bound(true))
    put('.git/config', 'new')
    await release()
    expect(readdirSync(work)).toEqual(['.git'])
  })

  test('nothing is made in a folder that is only read', async () => {
    const release = await createPlaceholders().hold(bound(false))
    expect(readdirSync(work)).toEqual([])
    await release()
  })
})
