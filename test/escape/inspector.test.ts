import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { runnerCommand } from '../../src/engine/isolate/runner-command.ts'
import { openArena } from './attack.ts'

const arena = openArena()
const launch = {
  memoryMb: 64,
  jit: true,
  isolates: 1,
  kernelLimits: 'preferred',
  walls: undefined,
} as const

test.skipIf(process.platform !== 'linux')(
  'ATK-074 SIGUSR1 opens no inspector in a runner',
  async () => {
    await arena.load({ tool: 'calm', body: 'return 1' })
    await arena.call({ tool: 'calm' })
    const pids = arena.host.childPids()
    const before = listeners()
    for (const pid of pids) process.kill(pid, 'SIGUSR1')
    await new Promise((resolve) => setTimeout(resolve, 300))
    // A runner may ignore the signal or die of it; what it must not do is listen.
    expect([...listeners()].filter((port) => !before.has(port))).toEqual([])
    expect((await arena.call({ tool: 'calm' })).result.isError).toBe(false)
  },
)

test.skipIf(process.platform !== 'linux')(
  'ATK-031 the isolate library is nowhere in the host',
  async () => {
    await arena.load({ tool: 'any', body: 'return 1' })
    await arena.call({ tool: 'any' })
    expect(readFileSync('/proc/self/maps', 'latin1')).not.toMatch(/isolated[-_]vm/)
    const loaded = Object.keys(createRequire(import.meta.url).cache)
    expect(loaded.filter((file) => file.includes('isolated-vm'))).toEqual([])
  },
)

test('ATK-031 a runner without its flag exits by itself before it loads the library', async () => {
  const maps = arena.host.childPids().map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
  const [code] = /\0-e\0([^\0]*)\0/.exec(maps[0] ?? '')?.slice(1) ?? []
  if (code === undefined) throw new Error('the runner has another command line')
  const { file, args } = runnerCommand({ code, launch }, ['/nowhere/isolated-vm', 'session'])
  const without = args.filter((arg) => arg !== '--no-node-snapshot')
  const ended = spawnSync(file, without, { cwd: '/', env: {}, encoding: 'utf8', timeout: 20_000 })
  expect(ended).toMatchObject({ status: 78, signal: null, stdout: '' })
  expect(ended.stderr).toContain('--no-node-snapshot')
})

/** Local ports that somebody of this machine listens on. */
function listeners(): Set<string> {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'latin1').split('\n').slice(1),
  )
  const listening = rows.filter((row) => / 0A /.test(row.slice(0, 100)))
  return new Set(listening.map((row) => row.trim().split(/\s+/)[1] ?? ''))
}
