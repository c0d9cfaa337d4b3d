import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeFolder } from '../helpers/folders.ts'
import { patience } from './attack.ts'

const SMALL_HOST = fileURLToPath(new URL('../fixtures/hostile/small-host.ts', import.meta.url))
const ARGS = ['--conditions=caisson-source', SMALL_HOST]

interface SmallHost {
  readonly pids: readonly number[]
  readonly ended: Promise<{ code: number | null; signal: string | null }>
  kill(signal: NodeJS.Signals): void
}

/** A host of its own process, with calls that spin, allocate and wait under way. */
async function startHost(folder: string): Promise<SmallHost> {
  const child = spawn(process.execPath, [...ARGS, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const pids = await new Promise<number[]>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.endsWith('\n')) resolve(JSON.parse(text) as number[])
    })
    child.once('exit', () => reject(new Error('the small host ended early')))
  })
  return { pids, ended, kill: (signal) => child.kill(signal) }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie that nobody has reaped yet runs no more.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}

test.skipIf(process.platform !== 'linux')(
  'ATK-072 BUG-31 a host that is killed leaves no runner behind, whatever its calls do',
  async () => {
    const host = await startHost(makeFolder('caisson-escape-'))
    expect(host.pids.length).toBeGreaterThanOrEqual(8)
    expect(host.pids.every(isAlive)).toBe(true)
    host.kill('SIGKILL')
    await host.ended
    await expect
      .poll(() => host.pids.filter(isAlive), { timeout: 2_000 * patience(), interval: 50 })
      .toEqual([])
  },
  60_000,
)
