import { spawn, type ChildProcess } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { readCgroupPlaces } from '../../src/sandbox/cgroup-mounts.ts'
import { openCgroups } from '../../src/sandbox/cgroup-open.ts'
import type { Cgroup, Cgroups } from '../../src/sandbox/cgroup.ts'
import { removeFolder } from '../helpers/folders.ts'

const MB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'caisson-cgroup-'))
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => removeFolder(folder))

const trial = openCgroups()
const reason = 'create' in trial ? undefined : trial.reason
if ('create' in trial) trial.close()

function start(script: string): ChildProcess & { readonly pid: number } {
  const child = spawn('/bin/sh', ['-c', `read -r _; ${script}`], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  children.push(child)
  return child as ChildProcess & { readonly pid: number }
}

function open(): Cgroups {
  const opened = openCgroups()
  if (!('create' in opened)) throw new Error(opened.reason)
  onTestFinished(() => opened.close())
  return opened
}

const title = reason === undefined ? 'cgroups of this machine' : `cgroups (none here: ${reason})`
describe.skipIf(reason !== undefined)(title, () => {
  const make = (memoryMb: number, pids: number): { cgroups: Cgroups; group: Cgroup } => {
    const cgroups = open()
    return { cgroups, group: cgroups.create({ memoryBytes: memoryMb * MB, pids }) }
  }
  const go = (child: ChildProcess): Promise<{ code: number | null; signal: string | null }> => {
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    child.stdin?.end('go\n')
    return ended
  }

  test('memory: what takes more is ended by the kernel, and counted', async () => {
    const { group } = make(24, 16)
    const child = start('x=$(head -c 100000000 /dev/zero | tr "\\0" x); echo survived')
    await group.add(child.pid)
    expect(group.oomKills()).toBe(0)
    await go(child)
    expect(group.oomKills()).toBeGreaterThan(0)
    await group.remove()
  })

  test('pids: one more process than allowed is not made', async () => {
    const { group } = make(64, 4)
    const child = start('for i in 1 2 3 4 5 6; do sleep 0.3 & done 2>/dev/null; wait')
    let said = ''
    child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await group.add(child.pid)
    const { code } = await go(child)
    expect(code, said).not.toBe(0)
  })

  test('cpu: time is counted for all that ran in it', async () => {
    const { group } = make(64, 16)
    const child = start('i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done')
    await group.add(child.pid)
    await go(child)
    expect(group.cpuMs()).toBeGreaterThan(20)
    await group.remove()
  })

  test('nothing is left of it once it is closed', async () => {
    const { cgroups, group } = make(64, 16)
    const places = readCgroupPlaces()
    const top = places.v1.get('pids') ?? places.v2?.folder ?? ''
    const count = (): number =>
      readdirSync(top).filter((name) => name.startsWith(`caisson-${process.pid}-`)).length
    const before = count()
    await group.remove()
    cgroups.close()
    expect(count()).toBe(before - 1)
  })

  test('what a host that died left behind is taken away by the next one', () => {
    const places = readCgroupPlaces()
    const top = places.v1.get('pids') ?? places.v2?.folder ?? ''
    const left = join(top, 'caisson-4194305-dead')
    mkdirSync(left)
    open()
    expect(existsSync(left)).toBe(false)
  })
})

describe('openCgroups()', () => {
  // A machine of version 2 as it shows in files; the kernel's part is not in it.
  const makeV2 = (controllers: string): { top: string; own: string } => {
    const top = mkdtempSync(join(folder, 'v2-'))
    const own = join(top, 'host.scope')
    mkdirSync(own)
    writeFileSync(join(top, 'cgroup.subtree_control'), controllers)
    // The kernel refuses to hand on what a group with processes in it has: so does a folder.
    mkdirSync(join(own, 'cgroup.subtree_control'))
    return { top, own }
  }

  test('makes groups beside its own where version 2 hands on limits', () => {
    const { top, own } = makeV2('cpu memory pids')
    const opened = openCgroups({ v1: new Map(), v2: { folder: own, top } })
    if (!('create' in opened)) throw new Error(opened.reason)
    opened.create({ memoryBytes: 64 * MB, pids: 8 })
    const [hostFolder = ''] = readdirSync(top).filter((name) => name.startsWith('caisson-'))
    const read = (file: string): string => readFileSync(join(top, hostFolder, '1', file), 'utf8')
    expect(read('memory.max')).toBe(`${64 * MB}`)
    expect(read('memory.swap.max')).toBe('0')
    expect(read('memory.oom.group')).toBe('1')
    expect(read('pids.max')).toBe('8')
    expect(read('cpu.max')).toMatch(/^\d+ 100000$/)
  })

  test('ATK-106 says why where there is nothing to make them in', () => {
    expect(openCgroups({ v1: new Map() })).toEqual({ reason: 'no cgroup file system is mounted' })
    const missing = openCgroups({ v1: new Map([['memory', folder]]) })
    expect(missing).toEqual({ reason: 'the cgroup controller pids is not mounted' })
    const nowhere = join(folder, 'nowhere')
    const v1 = new Map(['memory', 'pids', 'cpu'].map((name) => [name, nowhere]))
    expect(openCgroups({ v1 })).toMatchObject({ reason: expect.stringContaining('ENOENT') })
  })
})

describe('readCgroupPlaces()', () => {
  const write = (cgroup: string, mountinfo: string): string => {
    const proc = mkdtempSync(join(folder, 'proc-'))
    writeFileSync(join(proc, 'cgroup'), cgroup)
    writeFileSync(join(proc, 'mountinfo'), mountinfo)
    return proc
  }

  test('finds the own folder in each hierarchy of version 1', () => {
    const proc = write(
      '4:memory:/a/b\n3:cpu,cpuacct:/\n1:name=systemd:/x\n',
      '30 23 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n' +
        '31 23 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n',
    )
    const { v1, v2 } = readCgroupPlaces(proc)
    expect(v2).toBeUndefined()
    expect(Object.fromEntries(v1)).toEqual({
      memory: '/sys/fs/cgroup/memory/a/b',
      cpu: '/sys/fs/cgroup/cpu',
      cpuacct: '/sys/fs/cgroup/cpu',
    })
  })

  test('finds it in version 2, also where a container is shown its part only', () => {
    const proc = write(
      '0::/docker/abc\n',
      '30 23 0:29 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n',
    )
    expect(readCgroupPlaces(proc).v2).toEqual({ folder: '/sys/fs/cgroup', top: '/sys/fs/cgroup' })
  })

  test('finds nothing where nothing is mounted, or nobody tells', () => {
    expect(readCgroupPlaces(write('0::/\n', ''))).toEqual({ v1: new Map() })
    expect(readCgroupPlaces(join(folder, 'nowhere'))).toEqual({ v1: new Map() })
  })
})
