// What a runner and its isolate hold while they wait for a call, and how many of them fit a gigabyte.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { listFamily } from './chaos/family.ts'
import { openQuickJs, openWorkerd } from './contenders/sandboxes.ts'
import type { OpenContender } from './measure/contender.ts'
import { printHeading } from './measure/machine.ts'
import { printTable } from './measure/print-table.ts'
import { toFigure } from './measure/stats.ts'
import { createToolHost } from '../src/index.ts'

const COUNT = 6
const REST_MS = 400
const GIGABYTE_MB = 1_024
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REST_MS))

if (process.platform !== 'linux')
  throw new Error('only Linux tells what a process holds of its own')
const rows = [
  ['isolate: runner with a source', await weighRunners()],
  ['thread: worker with a source', await weighThreads()],
  ['worker_threads', await weighWorkers()],
  ['node, idle', await weighNode()],
  ['quickjs-emscripten, warm', await weighPeer(openQuickJs)],
  ['workerd, one worker', await weighPeer(openWorkerd)],
] as const
printHeading('Memory of what waits for its next call, each')
printTable(
  ['', 'own MB', 'per GB'],
  rows.flatMap(([name, mb]) =>
    mb === undefined ? [] : [[name, toFigure(mb), toFigure(Math.floor(GIGABYTE_MB / mb))]],
  ),
)

/** As many sources as runners, each called once; blank spares are not counted. */
function weighRunners(): Promise<number> {
  return weighSources('pure')
}

function weighThreads(): Promise<number> {
  return weighSources('trusted')
}

async function weighSources(profile: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'caisson-bench-'))
  const { signal } = new AbortController()
  try {
    await using host = createToolHost({ workspace: folder, maxRunners: COUNT + 1 })
    const use = async (name: string): Promise<void> => {
      await writeFile(join(folder, `${name}.mjs`), sourceOf(name))
      await host.tools.load(`${name}.mjs`, { profile })
      await host.tools.execute({ callId: name, name, arguments: {}, signal })
      await rest()
    }
    await use('first')
    // The bundler ends by itself when nobody loads any more; it is no part of an idle runner.
    const before = await ownMb(host.childPids())
    for (let at = 0; at < COUNT; at += 1) await use(`tool_${at}`)
    return ((await ownMb(host.childPids())) - before) / COUNT
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function weighWorkers(): Promise<number> {
  const before = await ownMb([])
  const file = new URL('./fixtures/raw-worker.ts', import.meta.url)
  const workers = Array.from({ length: COUNT }, () => new Worker(file))
  await rest()
  const mb = ((await ownMb([])) - before) / COUNT
  for (const worker of workers) await worker.terminate()
  return mb
}

async function weighNode(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'pipe' })
  await rest()
  const mb = await privateMb(child.pid ?? 0)
  child.kill('SIGKILL')
  return mb
}

/** What this process and those below it hold more once a peer has answered. */
async function weighPeer(open: OpenContender): Promise<number | undefined> {
  const before = await ownMb(listFamily())
  const contender = await open('echo')
  if (contender === undefined) return undefined
  await contender.call(1)
  await rest()
  const mb = (await ownMb(listFamily())) - before
  await contender.close()
  return mb
}

/** What this process and the given ones hold that nobody shares. */
async function ownMb(pids: readonly number[]): Promise<number> {
  let sum = 0
  for (const pid of [process.pid, ...pids]) sum += await privateMb(pid)
  return sum
}

async function privateMb(pid: number): Promise<number> {
  try {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1')
    const kilobytes = [...text.matchAll(/^Private_\w+: +(\d+) kB$/gm)].map(([, kb]) => Number(kb))
    return kilobytes.reduce((sum, kb) => sum + kb, 0) / 1_024
  } catch {
    return 0 // It has ended.
  }
}

function sourceOf(name: string): string {
  return `import { defineTool } from 'caisson'
    export default defineTool({ name: '${name}', description: 'Waits.', parameters: {},
      output: { schema: { type: 'json' }, render: () => [{ type: 'text', text: 'done' }] },
      execute: () => '${name}' })`
}
