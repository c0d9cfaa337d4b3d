import { mkdirSync, mkdtempSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { locateFolders, toGrantedFolders } from '../../src/sandbox/granted-folders.ts'
import { removeFolder } from '../helpers/folders.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-grants-')))
afterAll(() => removeFolder(folder))
const workspace = join(folder, 'work')
const roots = { workspace, package: join(folder, 'tool') }
mkdirSync(join(workspace, 'out'), { recursive: true })
mkdirSync(roots.package)
writeFileSync(join(workspace, 'one.txt'), '')
symlinkSync(folder, join(workspace, 'away'))
symlinkSync('out', join(workspace, 'alias'))

const grant = (read: string[], write: string[] = []) => ({ read, write, maxBytes: 1 })

describe('toGrantedFolders()', () => {
  test('whole folders and single files, outer ones first, writable ones last', () => {
    const folders = toGrantedFolders(
      grant(
        ['workspace:/a/b/**', 'package:/**', 'workspace:/**', 'workspace:/a/c.txt'],
        ['workspace:/a/b/**'],
      ),
    )
    expect(folders).toEqual([
      { root: 'package', path: '', writable: false },
      { root: 'workspace', path: '', writable: false },
      { root: 'workspace', path: 'a/b', writable: false },
      { root: 'workspace', path: 'a/c.txt', writable: false },
      { root: 'workspace', path: 'a/b', writable: true },
    ])
  })

  test.each([
    'workspace:/*.txt',
    'workspace:/src/**/*.ts',
    'workspace:/a?/**',
    'workspace:/{a,b}/**',
  ])('%s is refused: no mount can follow it', (pattern) => {
    expect(() => toGrantedFolders(grant([pattern]))).toThrow(/whole folders/)
    expect(() => toGrantedFolders(grant([pattern]))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error,
    )
  })

  test('nothing granted is nothing given', () => {
    expect(toGrantedFolders(undefined)).toEqual([])
    expect(toGrantedFolders(grant([]))).toEqual([])
  })
})

describe('locateFolders()', () => {
  const locate = async (...read: string[]) => {
    const binds = await locateFolders(toGrantedFolders(grant(read)), roots)
    for (const { from, identity } of binds) {
      const { dev, ino } = statSync(from, { bigint: true })
      expect(identity).toEqual({ dev, ino })
    }
    return binds.map(({ identity: _identity, ...bind }) => bind)
  }

  test('names real folders of the host, and where they are shown', async () => {
    expect(await locate('workspace:/**', 'workspace:/one.txt', 'package:/**')).toEqual([
      { from: workspace, to: '/workspace', writable: false },
      { from: roots.package, to: '/package', writable: false },
      { from: join(workspace, 'one.txt'), to: '/workspace/one.txt', writable: false },
    ])
    expect(await locate('workspace:/alias/**')).toEqual([
      { from: join(workspace, 'out'), to: '/workspace/alias', writable: false },
    ])
  })

  test('leaves out what is not there', async () => {
    expect(await locate('workspace:/gone/**')).toEqual([])
  })

  test('ATK-092 refuses a folder that has become a link out of its root', async () => {
    await expect(locate('workspace:/away/**')).rejects.toMatchObject({
      code: 'FS_SANDBOX_DENIED',
      path: 'workspace:/away',
    })
  })
})
