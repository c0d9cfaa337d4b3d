// From nothing to the first answer, and from a running host to the first answer of a new source.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToolHost, isCaissonError } from '../src/index.ts'
import { ours } from './contenders/ours.ts'
import { PEERS } from './contenders/peers.ts'
import type { OpenContender } from './measure/contender.ts'
import { printHeading } from './measure/machine.ts'
import { note, printTable } from './measure/print-table.ts'
import { median, toFigure } from './measure/stats.ts'

const ROUNDS = 5
const REST_MS = 100
const ENGINES = ['inline', 'thread', 'isolate', 'process'] as const
const PROFILES = { thread: 'trusted', isolate: 'pure', process: 'shell' } as const

await printFirst()
await printNewSource()

/** Everything from opening to the first answer, in a process that has loaded its modules. */
async function printFirst(): Promise<void> {
  const built = await loadBuilt()
  const openers = [
    ...ENGINES.map((name) => ours(name)),
    ...(built === undefined
      ? []
      : ENGINES.map((name) => relabel(ours(name, {}, built), `${name}, built`))),
    ...PEERS,
  ]
  const times = openers.map((): number[] => [])
  const names = openers.map(() => '')
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, open] of openers.entries()) {
      const { name, ms } = await timeFirst(open)
      names[at] = name
      // The first round loads modules, and what a checkout bundles once.
      if (round > 0) times[at]?.push(ms)
    }
  }
  printHeading('Cold start: to the first answer, milliseconds')
  printTable(
    ['', 'p50'],
    names.flatMap((name, at) => (name === '' ? [] : [[name, toFigure(median(times[at] ?? []))]])),
  )
}

/** The package as it is published: a checkout bundles what runs beside the host when it is first used. */
async function loadBuilt(): Promise<typeof createToolHost | undefined> {
  const file = new URL('../dist/src/index.js', import.meta.url)
  if (!existsSync(file)) {
    note('the package is not built (npm run build): measured from the checkout only')
    return undefined
  }
  const exports = (await import(file.href)) as { createToolHost: typeof createToolHost }
  return exports.createToolHost
}

function relabel(open: OpenContender, name: string): OpenContender {
  return async (body) => {
    const contender = await open(body)
    return contender === undefined ? undefined : { ...contender, name }
  }
}

async function timeFirst(open: OpenContender): Promise<{ name: string; ms: number }> {
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const begun = performance.now()
  const contender = await open('echo')
  if (contender === undefined) return { name: '', ms: Number.NaN }
  await contender.call(1)
  const ms = performance.now() - begun
  await contender.close()
  return { name: contender.name, ms }
}

/** Load and first call of a source nobody has seen, on a host that has been running. */
async function printNewSource(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'caisson-bench-'))
  const rows: string[][] = []
  try {
    for (const [engine, profile] of Object.entries(PROFILES)) {
      const times = await timeSources(folder, engine, profile)
      if (times !== undefined) rows.push([engine, ...times.map(toFigure)])
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  printHeading('New source on a running host, milliseconds')
  printTable(['', 'load p50', 'first call p50', 'second call p50'], rows)
}

async function timeSources(
  folder: string,
  engine: string,
  profile: string,
): Promise<number[] | undefined> {
  await using host = createToolHost({ workspace: folder })
  const { signal } = new AbortController()
  const loads: number[] = []
  const calls: number[][] = [[], []]
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const name = `${engine}_${round}`
      await writeFile(join(folder, `${name}.mjs`), sourceOf(name))
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
      const begun = performance.now()
      await host.tools.load(`${name}.mjs`, { profile })
      if (round > 0) loads.push(performance.now() - begun)
      for (const times of calls) {
        const before = performance.now()
        await host.tools.execute({ callId: name, name, arguments: {}, signal })
        if (round > 0) times.push(performance.now() - before)
      }
    }
  } catch (error) {
    if (!isCaissonError(error)) throw error
    note(`${engine} cannot run here: ${error.message}: skipped`)
    return undefined
  }
  return [loads, ...calls].map(median)
}

function sourceOf(name: string): string {
  return `import { defineTool } from 'caisson'
    export default defineTool({ name: '${name}', description: 'New.', parameters: {},
      output: { schema: { type: 'json' }, render: () => [{ type: 'text', text: 'done' }] },
      execute: () => '${name}' })`
}
