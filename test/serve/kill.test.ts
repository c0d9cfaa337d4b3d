import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from '../../src/load/random.ts'
import { describeConfined } from '../helpers/confined.ts'
import { makeCall, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { findProcesses } from '../helpers/process-table.ts'
import { descendantsOf, isRunning } from '../helpers/process-tree.ts'
import { makeFolder } from '../helpers/folders.ts'
import { BIN, killAndWait, ROOT } from '../helpers/serving.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url))
const CLIENT = join(FIXTURES, 'serve/client.mjs')
const UNITS = join(ROOT, 'examples/community/units.mjs')
const GONE_MS = 10_000

interface Lane {
  readonly log: string
  /** Stands in the command line of the wrapped server. */
  readonly mark: string
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

/** One state folder and one log, which every round of the lane opens again. */
function makeLane(number: number): Lane {
  const folder = makeFolder('caisson-kill-')
  const mark = `killed-${process.pid}-${number}`
  const config = join(folder, 'caisson.config.json')
  const fix = { command: 'node', args: ['server.mjs', mark], cwd: join(FIXTURES, 'mcp') }
  // A server is started where its package is.
  const server = { ...fix, args: [join(fix.cwd, 'server.mjs'), mark] }
  writeFileSync(config, JSON.stringify({ mcpServers: { fix: server } }))
  const log = join(folder, 'log.jsonl')
  const given = ['--tools', 'builtin', '--config', config, '--session', log, '--workspace', folder]
  return {
    log,
    mark,
    env: { PATH: process.env['PATH'] ?? '', CAISSON_HOME: folder },
    args: [BIN, 'serve', UNITS, ...given, '--approve', 'always'],
  }
}

/** A child that does not outlive the running test, whatever becomes of that. */
function start(args: readonly string[], env: Lane['env']): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => killAndWait(child))
  return child
}

/** Ends a process after a while, and checks that all it had started goes too. */
async function killAfter(child: ChildProcess, ms: number, mark: string): Promise<void> {
  const pid = child.pid ?? 0
  const seen = new Set<number>()
  const look = (): void => descendantsOf(pid).forEach((below) => seen.add(below))
  const until = performance.now() + ms
  while (performance.now() < until) {
    look()
    await sleep(Math.min(25, Math.max(1, until - performance.now())))
  }
  look()
  child.kill('SIGKILL')
  const left = (): number[] => [...[pid, ...seen].filter(isRunning), ...findProcesses(mark)]
  await expect.poll(left, { timeout: GONE_MS, interval: 50 }).toEqual([])
}

/** Resolves once the child has said so, or after a while. */
async function untilSays(child: ChildProcess, text: string): Promise<void> {
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => said, { timeout: 60_000 }).toContain(text)
}

function expectReadable({ log, env }: Lane): void {
  if (!existsSync(log)) return
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow()
  execFileSync(process.execPath, [BIN, 'replay', log], { cwd: ROOT, env, stdio: 'pipe' })
}

const LANES = 3

/** Rounds in several lanes at once; the times come from one seed. */
async function inLanes(rounds: number, round: (lane: Lane, part: number) => Promise<void>) {
  const random = createRandom(20_260_728)
  const lanes = Array.from({ length: LANES }, (_none, number) => makeLane(number))
  for (let left = rounds; left > 0; left -= LANES) {
    const parts = lanes.map(() => random())
    await Promise.all(lanes.map((lane, index) => round(lane, parts[index] ?? 0)))
  }
  for (const lane of lanes) expectReadable(lane)
}

describeConfined('what is left of a kill', () => {
  test('nothing, when the host is killed while it starts', { timeout: 180_000 }, () =>
    inLanes(6, async ({ args, env, mark }, part) => {
      const child = start(args, env)
      await killAfter(child, 2_500 * part, mark)
    }),
  )

  test(
    'nothing, when the client is killed while calls run, nor when the host is',
    { timeout: 180_000 },
    () =>
      inLanes(6, async ({ args, env, mark }, part) => {
        const client = start([CLIENT, ...args], env)
        await untilSays(client, 'connected')
        const [host = 0] = descendantsOf(client.pid ?? 0)
        if (part < 0.5) return await killAfter(client, 800 * part, mark)
        await sleep(800 * (part - 0.5))
        const below = descendantsOf(host)
        process.kill(host, 'SIGKILL')
        await expect
          .poll(
            () =>
              [...below.filter(isRunning), ...findProcesses(mark)].filter(
                (pid) => pid !== client.pid,
              ),
            { timeout: GONE_MS, interval: 50 },
          )
          .toEqual([])
        client.kill('SIGKILL')
      }),
  )

  test(
    'a wrapped server that is killed is there again for the next call',
    { timeout: 60_000 },
    async () => {
      const random = createRandom(31_337)
      const { host } = makeHost({
        workspace: makeFolder('caisson-kill-'),
        stateDir: makeFolder('caisson-kill-'),
      })
      const mark = `killed-${process.pid}-server`
      const args = [join(FIXTURES, 'mcp/server.mjs'), mark]
      await host.tools.load('fix', {
        server: { command: 'node', args, cwd: join(FIXTURES, 'mcp') },
      })
      for (let round = 0; round < 20; round += 1) {
        const said = `round ${round}`
        toSuccess(await host.tools.execute(makeCall('mcp__fix__echo', { text: said })))
        const running = host.tools.execute(makeCall('mcp__fix__slow'))
        await sleep(60 * random())
        const all = host
          .childPids()
          .flatMap((pid) => [pid, ...descendantsOf(pid)])
          .filter(isRunning)
        const victim = all[Math.floor(random() * all.length)]
        expect(victim).toBeDefined()
        process.kill(victim ?? 0, 'SIGKILL')
        expect(await running).toMatchObject({ isError: true, error: { code: 'TOOL_CRASHED' } })
        await expect.poll(() => all.filter(isRunning), { timeout: GONE_MS }).toEqual([])
      }
      await host.close()
      onTestFinished(() => expect(findProcesses(mark)).toEqual([]))
    },
  )
})
