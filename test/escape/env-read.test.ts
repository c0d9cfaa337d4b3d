import { readFileSync, readlinkSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { innermost } from '../helpers/innermost.ts'
import { openArena, valueOf } from './attack.ts'

const quiet = {
  name: 'named',
  engine: 'isolate',
  env: { TZ: 'UTC', GREETING: 'hello' },
}
const arena = openArena({ profiles: [quiet] })

test('ATK-076 a body sees the environment its profile names and nothing of the host', async () => {
  const body = `
    const read = []
    for (const path of ['/proc/self/environ', '/proc/1/environ', '/proc/self/cmdline', '/etc/passwd'])
      try { read.push(String(require('node:fs').readFileSync(path))) } catch { read.push(null) }
    const fs = await import('node:fs/promises').catch(() => undefined)
    const asked = await fs?.readFile('/proc/self/environ').catch((error) => error.code)
    return { env: { ...process.env }, argv: process.argv, execPath: process.execPath, cwd: process.cwd(), read, asked: asked ?? null }
  `
  const value = valueOf(await arena.attack({ body, profile: 'named' }))
  expect(value).toMatchObject({
    env: { TZ: 'UTC', GREETING: 'hello' },
    read: [null, null, null, null],
  })
  const text = JSON.stringify(value)
  for (const fact of [process.execPath, process.cwd(), process.env['HOME'] ?? '\0']) {
    if (fact.length > 1) expect(text).not.toContain(JSON.stringify(fact).slice(1, -1))
  }
})

test.skipIf(process.platform !== 'linux')(
  'ATK-095 a runner has an empty environment, no file open, no privileges, and / as its folder',
  async () => {
    await arena.load({ body: 'return process.pid', tool: 'idle' })
    await arena.call({ tool: 'idle' })
    const pids = arena.host.childPids().map(innermost).filter(isBooted)
    expect(pids.length).toBeGreaterThan(0)
    for (const pid of pids) {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1')
      expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).toBe('')
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/')
      if (process.getuid?.() === 0) {
        expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
        expect(status).toMatch(/^Groups:\t\s*$/m)
        expect(status).toMatch(/^CapEff:\t0+$/m)
      }
      const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
      // Node's own event loop needs descriptors of the anonymous kind, and one spare: the null device, or
      // where there is none the top of its own disk. Files and sockets it has none.
      expect(
        open.filter((target) => !/^(pipe:|anon_inode:|socket:|\/dev\/null$|\/$)/.test(target)),
      ).toEqual([])
    }
  },
)

// One that is still on its way has not dropped anything yet, nor has it loaded a tool.
function isBooted(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1').includes('Uid:\t65534')
  } catch {
    return false
  }
}
