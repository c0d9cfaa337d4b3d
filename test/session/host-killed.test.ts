import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSessionLog } from '../../src/session/log/open.ts'
import type { SessionLine } from '../../src/types/events.ts'
import { removeFolder } from '../helpers/folders.ts'

const WRITER = fileURLToPath(new URL('../fixtures/host-writer.ts', import.meta.url))
const KILLS = 200
const AT_ONCE = 4
const LONGEST_MS = 60
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-killed-'))
  // A killed process leaves no compile cache; one that ends by itself makes the others start fast.
  await once(startHost('--only-start'), 'exit')
})
afterAll(() => removeFolder(folder))

function startHost(log: string): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [WRITER, log], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { NODE_COMPILE_CACHE: join(folder, 'cache') },
  })
}

/** Starts a host on a fresh log and kills it at a random moment of its work. */
async function killHost(log: string): Promise<void> {
  const child = startHost(log)
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  await sleep(Math.random() * LONGEST_MS)
  child.kill('SIGKILL')
  await exited
}

function parseLines(text: string): SessionLine[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as SessionLine]
    } catch {
      return [] // The torn line of the crash, which the repair closed and kept.
    }
  })
}

test(`LOG-01 a host killed at ${KILLS} random moments leaves exactly one result per call after reopening`, async () => {
  let next = 0
  let calls = 0
  let repaired = 0
  const work = async (): Promise<void> => {
    while (next < KILLS) {
      const log = join(folder, `${(next += 1)}.jsonl`)
      await killHost(log)
      const before = await readFile(log, 'utf8')
      openSessionLog(log).close()
      const after = await readFile(log, 'utf8')
      expect(after.startsWith(before)).toBe(true)
      const lines = parseLines(after)
      const results = new Map<number, number>()
      for (const line of lines) {
        if (line.type !== 'tool/result') continue
        results.set(line.data.call, (results.get(line.data.call) ?? 0) + 1)
        const code = line.data.error?.code
        if (code === 'TOOL_NOT_STARTED' || code === 'TOOL_OUTCOME_UNKNOWN') repaired += 1
      }
      const logged = lines.filter((line) => line.type === 'tool/call')
      calls += logged.length
      expect([...results.values()].every((count) => count === 1)).toBe(true)
      expect(new Set(results.keys())).toEqual(new Set(logged.map(({ seq }) => seq)))
      expect(lines.filter(({ type }) => type === 'step/start').length).toBe(
        lines.filter(({ type }) => type === 'step/end').length,
      )
      openSessionLog(log).close()
      expect(await readFile(log, 'utf8')).toBe(after)
      await rm(log)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  // The kills must have hit hosts at work, in the middle of calls.
  expect(calls).toBeGreaterThan(KILLS)
  expect(repaired).toBeGreaterThan(KILLS / 10)
}, 240_000)
