import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { isGone } from '../../src/sandbox/process-tree.ts'
import { describeConfined } from '../helpers/confined.ts'
import { findSleepers, openProgramArena, uniqueSeconds } from './program-arena.ts'
import { removeFolder } from '../helpers/folders.ts'

const folder = mkdtempSync(join(tmpdir(), 'caisson-hosts-'))
afterAll(() => removeFolder(folder))
const FIXTURE = fileURLToPath(new URL('../fixtures/program-host.ts', import.meta.url))
const CALLS = 16

interface Started {
  readonly child: ChildProcess
  readonly seconds: string
  /** Children of the host, bwrap and the first process of each sandbox. */
  readonly pids: readonly number[]
}

/** A host of its own process with that many programs in it, all of them running. */
async function startHost(calls: number): Promise<Started> {
  const seconds = uniqueSeconds()
  const file = join(folder, `${seconds}.tool.json`)
  const script = `setsid sleep ${seconds} & exec sleep ${seconds}`
  const manifest = {
    name: 'lasts',
    description: 'lasts',
    parameters: { type: 'object' },
    command: ['sh', '-c', script],
  }
  writeFileSync(file, JSON.stringify(manifest))
  const node = ['--conditions=caisson-source', FIXTURE, 'many', file, `${calls}`]
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let pids: readonly number[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    pids = (JSON.parse(line) as { pids: number[] }).pids
  })
  await expect
    .poll(() => [findSleepers(seconds).length, pids.length], { timeout: 18_000, interval: 100 })
    .toEqual([2 * calls, 2 * calls])
  return { child, seconds, pids }
}

function untilExit(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
}

describeConfined('programs and the end of their host', () => {
  const arena = openProgramArena()

  test('ATK-072 BUG-31 a host that is killed leaves no program two seconds later', async () => {
    const { child, seconds, pids } = await startHost(CALLS)
    child.kill('SIGKILL')
    await expect
      .poll(() => [...findSleepers(seconds), ...pids.filter((pid) => !isGone(pid))], {
        timeout: 2_000,
      })
      .toEqual([])
  }, 40_000)

  test('BUG-31 BUG-13 a host that is told to end leaves none either', async () => {
    const { child, seconds, pids } = await startHost(4)
    const ended = untilExit(child)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(findSleepers(seconds)).toEqual([])
    expect(pids.filter((pid) => !isGone(pid))).toEqual([])
  }, 40_000)

  test('BUG-31 what is killed in the middle takes what is below it along', async () => {
    const { seconds, pids } = await startHost(1)
    const [bwrap = 0] = pids
    process.kill(bwrap, 'SIGKILL')
    await expect.poll(() => findSleepers(seconds), { timeout: 2_000 }).toEqual([])
  }, 40_000)

  test('ATK-071 programs killed from outside at any moment settle once, as what they were', async () => {
    const results = []
    for (let n = 0; n < 20; n += 1) {
      const call = arena.runBeside(`victim${n}`, {
        command: ['sh', '-c', 'sleep 0.03; echo done'],
        timeoutMs: 10_000,
      })
      await new Promise((resolve) => setTimeout(resolve, n * 6))
      for (const pid of arena.host.childPids()) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has just ended by itself.
        }
      }
      results.push(await call)
    }
    for (const result of results) {
      if (!result.isError) expect(result.value).toBe('done\n')
      else if (result.error.started === true) {
        expect(result.error).toMatchObject({ code: 'TOOL_CRASHED', signal: 'SIGKILL' })
      } else expect(result.error.code).toBe('ENGINE_UNAVAILABLE')
    }
    await arena.checkEmpty()
  }, 40_000)
})
