import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import {
  ADDON_INSIDE,
  findNodeFiles,
  locateAddon,
  NODE_INSIDE,
} from '../../src/sandbox/node-files.ts'
import {
  findRunnerWalls,
  findWallFault,
  toRunnerArgs,
  type RunnerWalls,
} from '../../src/sandbox/runner-walls.ts'

const main = createRequire(import.meta.url).resolve('isolated-vm')
const linux = process.platform === 'linux'

const walls = (kind: RunnerWalls['kind']): RunnerWalls => ({
  bwrap: '/usr/bin/bwrap',
  seccomp: new Uint8Array(),
  shell: '/bin/sh',
  strayFds: [],
  binds: [{ from: '/opt/node', to: NODE_INSIDE, writable: false }],
  kind,
  user: undefined,
})

describe('toRunnerArgs()', () => {
  test.each(['users', 'privileged'] as const)(
    'leaves a runner nothing to write, no network and no other process (%s)',
    (kind) => {
      const args = toRunnerArgs(walls(kind))
      for (const name of ['pid', 'net', 'ipc', 'uts', 'cgroup'])
        expect(args).toContain(`--unshare-${name}`)
      expect(args).toContain('--die-with-parent')
      expect(args.join(' ')).toContain('--cap-drop ALL')
      expect(args.join(' ')).toContain('--remount-ro /')
      for (const option of ['--bind', '--dev', '--dev-bind', '--proc', '--tmpfs', '--setenv'])
        expect(args).not.toContain(option)
    },
  )

  test('with namespaces for users nothing inside can make more of them, or change who it is', () => {
    const args = toRunnerArgs(walls('users'))
    expect(args).toEqual(expect.arrayContaining(['--unshare-user', '--disable-userns']))
    expect(args).not.toContain('--cap-add')
  })

  test('without them the runner keeps no more than what it gives up its user with', () => {
    const args = toRunnerArgs(walls('privileged'))
    const added = args.filter((_arg, at) => args[at - 1] === '--cap-add')
    expect(added).toEqual(['CAP_SETUID', 'CAP_SETGID'])
  })
})

describe.skipIf(!linux)('the files of a runner', () => {
  test('are Node, the isolate library and what the loader of the machine names', async () => {
    const binds = await findNodeFiles(process.execPath, locateAddon(main))
    const inside = binds.map(({ to }) => to)
    expect(inside).toContain(NODE_INSIDE)
    expect(inside).toContain(ADDON_INSIDE)
    for (const { from, to, writable } of binds) {
      expect(writable).toBe(false)
      expect(existsSync(from)).toBe(true)
      expect(to).toMatch(/^\/(caisson\/(node|env|isolated-vm\.node)|.*\.so[.\d]*)$/)
    }
  })

  test('locateAddon() finds the file for this Node without loading the library', () => {
    expect(locateAddon(main)).toMatch(/\.node$/)
    const { cache } = createRequire(import.meta.url)
    expect(Object.keys(cache).filter((file) => file.includes('isolated-vm'))).toEqual([])
    expect(() => locateAddon('/nowhere/index.js')).toThrow('no file for this machine')
  })
})

describe.skipIf(!linux)('what a runner lacks', () => {
  test('findWallFault() finds fault with a process that nothing confines', () => {
    expect(findWallFault(process.pid)).toBe('it sees the processes of the machine')
    expect(findWallFault(2 ** 22)).toBeDefined()
  })

  test('findRunnerWalls() says what is missing', async () => {
    const spec = { path: '/nowhere', node: process.execPath, addon: () => locateAddon(main) }
    expect(await findRunnerWalls(spec)).toMatchObject({
      reason: 'bubblewrap (bwrap) is not installed',
    })
  })
})
