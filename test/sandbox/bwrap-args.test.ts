import { describe, expect, test } from 'vitest'
import { toBwrapArgs, type BwrapSpec } from '../../src/sandbox/bwrap-args.ts'
import type { HostLayout } from '../../src/sandbox/host-layout.ts'

const layout: HostLayout = {
  folders: ['/usr', '/lib64'],
  links: [['/bin', 'usr/bin']],
  files: ['/etc/ld.so.cache'],
  readOnly: ['/proc/sys'],
  hiddenFiles: ['/proc/kcore'],
  hiddenFolders: ['/proc/acpi'],
}
const spec: BwrapSpec = {
  layout,
  binds: [
    { from: '/srv/work', to: '/workspace', writable: false },
    { from: '/srv/work/out', to: '/workspace/out', writable: true },
  ],
  covers: [
    { path: '/workspace/.env', kind: 'closedFile' },
    { path: '/workspace/.ssh', kind: 'closedFolder' },
    { path: '/workspace/out/.git', kind: 'readOnly', from: '/srv/work/out/.git' },
  ],
  tmpfsBytes: 1_000,
  cwd: '/workspace',
  fds: { passwd: 10, group: 11, hosts: 12, files: [], seccomp: 13, status: 14, block: 15 },
}
const args = toBwrapArgs(spec)
const text = args.join(' ')

describe('toBwrapArgs()', () => {
  test.each([
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup',
    '--disable-userns',
    '--new-session',
    '--die-with-parent',
    '--cap-drop ALL',
    '--hostname caisson',
  ])('%s is always there', (option) => {
    expect(text).toContain(option)
  })

  test('programs and libraries are read-only, and nothing else of the disk is shown', () => {
    const shown = args.flatMap((arg, at) => (/^--(ro-)?bind/.test(arg) ? [args[at + 1]] : []))
    expect(shown.filter((path) => !path?.startsWith('/srv/'))).toEqual([
      '/usr',
      '/lib64',
      '/etc/ld.so.cache',
      '10',
      '11',
      '12',
      '/proc/sys',
      '/dev/null',
      '/dev/null',
    ])
    expect(text).not.toMatch(/--bind \/(usr|etc|proc)/)
    for (const path of ['/sys', '/run', '/etc/machine-id', '/etc/passwd ', '/root', '/home ']) {
      expect(text).not.toContain(`--ro-bind ${path}`)
    }
  })

  test('every file system that can be written to has a size', () => {
    const sized = [...text.matchAll(/--size (\d+) --tmpfs (\S+)/g)].map(([, size, path]) => [
      path,
      size,
    ])
    expect(sized).toEqual([
      ['/dev/shm', '1000'],
      ['/tmp', '1000'],
      ['/home/tool', '1000'],
    ])
    expect(text).toContain('--remount-ro /dev ')
    expect(text).toContain('--remount-ro / ')
  })

  test('a folder is mounted after what it lies in, and covers come last', () => {
    const order = ['--ro-bind /srv/work /workspace', '--bind /srv/work/out /workspace/out']
    expect(text.indexOf(order[0] ?? '')).toBeLessThan(text.indexOf(order[1] ?? ''))
    const covers = text.indexOf('--ro-bind /dev/null /workspace/.env')
    expect(covers).toBeGreaterThan(text.indexOf(order[1] ?? ''))
    expect(text).toContain('--perms 0000 --tmpfs /workspace/.ssh --remount-ro /workspace/.ssh')
    expect(text).toContain('--ro-bind /srv/work/out/.git /workspace/out/.git')
    expect(text.indexOf('--remount-ro / ')).toBeGreaterThan(covers)
  })

  test('no variable is set on the command line, where everybody could read it', () => {
    expect(text).not.toContain('--setenv')
  })
})
