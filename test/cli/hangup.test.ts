import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listMarked } from '../helpers/marked-processes.ts'
import { ROOT } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

const hasTerminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

test.skipIf(!hasTerminals)(
  'serve ends when its terminal goes away, and reloads while it is there',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), `caisson-hangup-${randomUUID()}-`))
    onTestFinished(() => removeFolder(folder))
    const config = join(folder, 'c.json')
    writeFileSync(config, '{ "sources": ["builtin"] }')
    const bin = join(ROOT, 'bin/caisson.mjs')
    const line = `exec ${process.execPath} ${bin} serve --http 0 --config ${config}`
    const terminal = spawn('script', ['-qefc', line, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], CAISSON_HOME: join(folder, 'state') },
    })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    let said = ''
    terminal.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await expect.poll(() => said, { timeout: 20_000 }).toContain('bearer token')
    const served = listMarked(bin).filter(
      (pid) => pid !== terminal.pid && listMarked(config).includes(pid),
    )
    for (const pid of served) process.kill(pid, 'SIGHUP')
    await expect.poll(() => said, { timeout: 20_000 }).toContain('was loaded again')
    terminal.kill('SIGKILL')
    await expect.poll(() => listMarked(config), { timeout: 20_000 }).toEqual([])
  },
  60_000,
)
