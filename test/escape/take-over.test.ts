import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isForRootAlone, unconfinable } from '../helpers/confined.ts'
import { makeFolder } from '../helpers/folders.ts'
import { createFakeEngine } from './fake-runner.ts'

// What a program can do that has taken the place of a runner, once the runner's own start is past.
const DRILL = `
  const fs = require('node:fs')
  const net = require('node:net')
  if (process.getuid?.() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534) }
  const attempt = (name, code) => {
    try { return [name, String(code())] } catch (error) { return [name, 'failed ' + error.code] }
  }
  const dial = (port, host) => new Promise((resolve) => {
    try {
      net.connect(port, host).on('connect', () => resolve('connected')).on('error', (error) => resolve('failed ' + error.code))
    } catch (error) { resolve('failed ' + error.code) }
  })
  const called = async (id, request) => {
    const { file, port, host } = request.args
    const found = Object.fromEntries([
      attempt('env', () => Object.keys(process.env).length),
      attempt('cwd', () => process.cwd()),
      attempt('write', () => { fs.writeFileSync(file, 'x'); return fs.readFileSync(file, 'utf8').length }),
      attempt('own', () => { fs.writeFileSync('/tmp/caisson-drill-' + process.pid, 'x'); return 'written' }),
      attempt('beside', () => { fs.writeFileSync('/caisson/x', 'x'); return 'written' }),
      attempt('canary', () => fs.readFileSync(file, 'utf8')),
      attempt('passwd', () => fs.readFileSync('/etc/passwd', 'utf8').length > 0),
      attempt('processes', () => fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).length > 0),
      attempt('environ', () => fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8').includes('CANARY')),
      attempt('signal', () => process.kill(host, 0)),
      attempt('root', () => process.setuid(0)),
      attempt('top', () => fs.readdirSync('/').join()),
      attempt('shell', () => { const ran = require('node:child_process').spawnSync('/bin/sh', ['-c', 'echo x']); if (ran.error) throw ran.error; return ran.stdout }),
      attempt('files', () => fs.readdirSync('/proc/self/fd').map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd) } catch { return 'gone' } })
        .filter((target) => !/^(pipe:|anon_inode:|gone$|socket:|\\/dev\\/null$|\\/proc\\/)/.test(target)).join()),
      attempt('limits', () => fs.readFileSync('/proc/self/limits', 'utf8').match(/Max (core file size|file size|open files) +\\S+/g).map((row) => row.replace(/ +/g, ' ')).join()),
    ])
    found.dialled = await dial(port, '127.0.0.1')
    found.outside = await dial(53, '192.0.2.1')
    found.socket = await dial('/run/caisson-none.sock')
    value(id, found)
    process.exit(0)
  }
`

interface Drill {
  readonly found: Readonly<Record<string, string>>
  /** Connections that the machine saw. */
  readonly connections: number
  readonly canary: string
}

async function drill(confinement: 'required' | 'none', jit: boolean): Promise<Drill> {
  process.env['CAISSON_CANARY'] = 'CANARY'
  const file = join(makeFolder('caisson-escape-'), 'canary')
  writeFileSync(file, 'canary', { mode: 0o600 })
  let connections = 0
  const server = await listen(createServer((socket) => void (socket.end(), (connections += 1))))
  const args = { file, port: Reflect.get(Object(server.address()), 'port'), host: process.pid }
  const fake = createFakeEngine(DRILL, { args, profile: { confinement, jit } })
  const loaded = await fake.load()
  const { outcome } = await fake.run(loaded.body('fake'))
  expect(outcome).toMatchObject({ kind: 'returned' })
  const found = Reflect.get(outcome, 'value') as Drill['found']
  return { found, connections, canary: readFileSync(file, 'utf8') }
}

function listen(server: Server): Promise<Server> {
  onTestFinished(() => void server.close())
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

for (const jit of [true, false]) {
  test.skipIf(unconfinable !== undefined)(
    `ATK-028 a program in the place of a confined runner reaches nothing at all (jit: ${jit})`,
    async () => {
      const { found, connections, canary } = await drill('required', jit)
      const { top, ...rest } = found
      expect(rest).toMatchObject({
        env: '0',
        cwd: '/',
        write: 'failed ENOENT',
        own: 'failed ENOENT',
        beside: isForRootAlone ? 'failed EACCES' : 'failed EROFS',
        canary: 'failed ENOENT',
        passwd: 'failed ENOENT',
        processes: 'failed ENOENT',
        environ: 'failed ENOENT',
        root: expect.stringMatching(/^failed E(PERM|INVAL)$/) as string,
        shell: 'failed ENOENT',
        dialled: 'failed EPERM',
        outside: 'failed EPERM',
        socket: 'failed EPERM',
      })
      // The host's number means nobody there, or somebody else.
      expect(rest['signal']).toMatch(/^failed E(SRCH|PERM)$/)
      expect(top?.split(',')).toContain('caisson')
      for (const name of ['bin', 'dev', 'etc', 'home', 'proc', 'root', 'tmp', 'var', 'work'])
        expect(top?.split(',')).not.toContain(name)
      expect([connections, canary]).toEqual([0, 'canary'])
    },
  )
}

test.skipIf(process.platform !== 'linux')(
  'ATK-028 where nothing confines a runner it still has no environment, no file, no way to write one',
  async () => {
    const { found, canary } = await drill('none', true)
    expect(found).toMatchObject({
      env: '0',
      cwd: '/',
      own: 'failed EFBIG',
      files: '',
      limits: 'Max file size 0,Max core file size 0,Max open files 64',
    })
    if (process.getuid?.() === 0) {
      // Somebody else's processes and files, where the host itself is root.
      expect(found).toMatchObject({
        write: 'failed EACCES',
        canary: 'failed EACCES',
        environ: 'failed EACCES',
        signal: 'failed EPERM',
        root: 'failed EPERM',
      })
    }
    expect(canary).toBe('canary')
  },
)
