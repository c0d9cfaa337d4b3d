import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { describeConfined } from '../helpers/confined.ts'
import { runIn, shell } from '../helpers/run-confined.ts'
import { valueOf } from './attack.ts'
import { openProgramArena, programLimits } from './program-arena.ts'
import { removeFolder } from '../helpers/folders.ts'

const work = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-work-')))
const outside = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-outside-')))
const SECRET = 'what nobody but the operator reads'
writeFileSync(join(outside, 'canary'), SECRET)
afterAll(() => {
  for (const folder of [work, outside]) removeFolder(folder)
})

describeConfined('a program and files', () => {
  const arena = openProgramArena({
    workspace: work,
    profiles: [
      {
        name: 'writer',
        engine: 'process',
        limits: programLimits,
        fs: { read: ['workspace:/**'], write: ['workspace:/**'] },
      },
      {
        name: 'reader',
        engine: 'process',
        limits: programLimits,
        fs: { read: ['workspace:/**'], write: ['workspace:/out/**'] },
      },
    ],
  })
  const sh = async (script: string, profile: string): Promise<string> =>
    String(valueOf(await arena.run({ command: ['sh', '-c', script], profile })))

  beforeEach(() => {
    for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true })
  })

  test('ATK-094 what the kernel shows of the machine is closed or read-only', async () => {
    const script = `
      for path in /proc/1/environ /proc/self/environ; do tr '\\0' '\\n' < $path | grep -c CANARY; done
      for path in /proc/kcore /proc/kmsg /proc/kallsyms /proc/keys /dev/mem /dev/kmem /dev/sda; do
        cat $path >/dev/null 2>&1 && echo "read $path"; done
      for path in /proc/sys/vm/swappiness /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/self/oom_adj_no /proc/1/mem; do
        (echo 1 > $path) 2>/dev/null && echo "wrote $path"; done
      (printf x | dd of=/proc/self/mem bs=1 seek=0) 2>/dev/null && echo "wrote mem"
      ls /sys /run /root /home/other 2>&1 | grep -v 'No such file' ; exit 0`
    const { stdout } = await runIn(shell(script))
    expect(stdout).toBe('0\n0\n')
  })

  test('nothing of the disk is there but programs, and nothing of it is writable', async () => {
    const { stdout } = await runIn(
      shell(`ls / | tr '\\n' ' '; ls /etc | tr '\\n' ' '
        for path in / /usr /etc /dev /usr/bin /proc; do touch $path/x 2>/dev/null && echo "wrote $path"; done
        touch /tmp/x /home/tool/x /dev/shm/x && echo fine; cat ${outside}/canary 2>/dev/null; exit 0`),
    )
    const [top = ''] = stdout.split(' alternatives')
    expect(top.split(' ').filter((name) => !/^(bin|sbin|lib\w*|usr)$/.test(name))).toEqual([
      'dev',
      'etc',
      'home',
      'proc',
      'tmp',
    ])
    expect(stdout).not.toContain('wrote')
    expect(stdout).not.toContain(SECRET)
    expect(stdout).toContain('fine')
    expect(stdout).not.toMatch(/machine-id|shadow|hostname/)
  })

  test('ATK-096 a full disk is an error at the quota, and takes nothing of the host', async () => {
    const before = statfsSync(tmpdir()).bavail
    const { stdout } = await runIn(
      shell(`for where in /tmp /home/tool /dev/shm; do
        head -c 50000000 /dev/zero > $where/big 2>/dev/null || echo "full"; wc -c < $where/big; done`),
      { tmpfsBytes: 4_000_000 },
    )
    const lines = stdout.trim().split('\n')
    expect(lines.filter((line) => line === 'full')).toHaveLength(3)
    for (const line of lines.filter((text) => text !== 'full')) {
      expect(Number(line)).toBeGreaterThan(3_000_000)
      expect(Number(line)).toBeLessThan(4_100_000)
    }
    const blocks = (20 * 1024 * 1024) / statfsSync(tmpdir()).bsize
    expect(before - statfsSync(tmpdir()).bavail).toBeLessThan(blocks)
  })

  test('a granted folder is read, a writable one written, and the rest is not there', async () => {
    mkdirSync(join(work, 'out'))
    writeFileSync(join(work, 'in.txt'), 'text')
    const said = await sh(
      'pwd; cat in.txt; echo; echo made > out/made; touch in2.txt 2>/dev/null || echo refused; ls /package 2>&1; exit 0',
      'reader',
    )
    expect(said).toContain('/workspace\ntext\nrefused\n')
    expect(readFileSync(join(work, 'out/made'), 'utf8')).toBe('made\n')
    expect(readdirSync(work).toSorted()).toEqual(['in.txt', 'out'])
  })

  test('secrets in a granted folder stay closed, at any depth', async () => {
    mkdirSync(join(work, 'deep/.ssh'), { recursive: true })
    for (const name of ['.env', 'deep/id_rsa', 'deep/.ssh/config'])
      writeFileSync(join(work, name), SECRET)
    for (const profile of ['reader', 'writer']) {
      const said = await sh('cat .env deep/id_rsa deep/.ssh/config 2>&1; exit 0', profile)
      expect(said).not.toContain(SECRET)
      expect(said.match(/Permission denied/g)).toHaveLength(3)
    }
    expect(readFileSync(join(work, '.env'), 'utf8')).toBe(SECRET)
  })

  const OBEYED = [
    '.bashrc',
    '.git/hooks/pre-commit',
    '.git/config',
    '.mcp.json',
    '.vscode/tasks.json',
    'caisson.config.json',
  ]
  const write = OBEYED.map(
    (path) => `mkdir -p $(dirname ${path}); echo bad > ${path}; mv ${path} x; rm -rf ${path}`,
  )

  test('ATK-097 what other programs obey is not made where it was not', async () => {
    await sh(
      `{ ${write.join('; ')}; mv .git y; mkdir -p .git/hooks; } 2>/dev/null; exit 0`,
      'writer',
    )
    expect(readdirSync(work)).toEqual([])
  })

  test('ATK-097 nor changed where it was', async () => {
    for (const path of OBEYED) {
      mkdirSync(join(work, path, '..'), { recursive: true })
      writeFileSync(join(work, path), 'good')
    }
    const before = readdirSync(work, { recursive: true }).map(String).toSorted()
    const script = `{ ${write.join('; ')}; mv .git y; ln -sf /tmp .git; rm -rf x; } 2>/dev/null; echo also > fine; exit 0`
    await sh(script, 'writer')
    for (const path of OBEYED) expect(readFileSync(join(work, path), 'utf8'), path).toBe('good')
    rmSync(join(work, 'fine'))
    expect(readdirSync(work, { recursive: true }).map(String).toSorted()).toEqual(before)
  })

  test('ATK-098 no file gets a mode that lends somebody else its owner', async () => {
    const script = `
      cp /bin/sh own; umask 0
      chmod 4755 own 2>/dev/null && echo chmod; chmod 2755 own 2>/dev/null && echo chgrp
      chown 0:0 own 2>/dev/null && echo chown
      perl -e 'use Fcntl; sysopen(F, "made", O_CREAT|O_RDWR, 06777) and print "open\\n"; require "syscall.ph" if 0'
      id -u; exit 0`
    expect(await sh(script, 'writer')).toBe('1000\n')
    expect(statSync(join(work, 'own')).mode & 0o7000).toBe(0)
    expect(existsSync(join(work, 'made'))).toBe(false)
  })

  test('a folder that has become a link out of the workspace is refused', async () => {
    symlinkSync(outside, join(work, 'out'))
    const { result } = await arena.run({ command: ['true'], profile: 'reader' })
    expect(result).toMatchObject({
      isError: true,
      error: { code: 'FS_SANDBOX_DENIED', started: false },
    })
  })
})
