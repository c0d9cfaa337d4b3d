import { isCaissonError } from '../errors/caisson-error.ts'
import { createBench, type Bench } from './bench.ts'
import { codeOf, describeResult, hole, holds, unavailable } from './finding.ts'
import { HONOURS } from './isolate-tools.ts'
import { judgeStop, type StopSpec } from './stop-probe.ts'
import { measureTimeout } from './timeout-probe.ts'
import type { Probe, ProbeFinding } from './types.ts'
import { isRunning, listDescendants, readProc, until } from './world.ts'

const LOOP_MS = 300
const GRACE_MS = 200
const DEADLINE_MS = 1_100
const LONG_MS = 10_000
const PIDS = 24
const SWARM = 64
const GONE_MS = 1_000
const MEMORY = 'cgroup, else RLIMIT_DATA and RSS watch'
const SPAWN = "const { spawn } = await import('node:child_process');"
const PROFILE = {
  name: 'doctor-program',
  engine: 'process',
  limits: { timeoutMs: LONG_MS, graceMs: GRACE_MS, memoryMb: 96, outputBytes: 65_536 },
  process: { pids: PIDS, tmpfsMb: 8 },
}
const TOOLS = {
  p_loop: { body: 'for (;;) {}', timeoutMs: LOOP_MS },
  p_objects: { body: 'const kept = globalThis.kept = []; for (let i = 0; ; i++) kept.push({ i })' },
  p_buffers: { body: 'const kept = []; for (;;) kept.push(Buffer.alloc(1e7, 1))' },
  p_output: { body: "return 'x'.repeat(200_000)" },
  p_swarm: {
    body: `${SPAWN} let alive = 0
      for (let n = 0; n < ${SWARM}; n++) await new Promise((next) => {
        const child = spawn('sleep', ['60'], { stdio: 'ignore' })
        child.once('spawn', () => { alive++; next() }); child.once('error', next)
      })
      return alive`,
  },
  p_leaves: {
    body: `${SPAWN}
      for (let n = 0; n < 3; n++) spawn('setsid', ['sleep', '300'], { detached: true, stdio: 'ignore' }).unref()
      await new Promise((r) => setTimeout(r, 200)); return 'left'`,
  },
  p_honours: { body: HONOURS, timeoutMs: DEADLINE_MS },
}

/** The host of tools that run as confined programs. */
export function createProgramBench(): Bench {
  return createBench({ sources: [{ profile: PROFILE, tools: TOOLS }] })
}

/** What the process engine keeps by itself, around the walls of its sandboxes. */
export function programProbes(bench: Bench): Probe[] {
  const probe = (id: string, limit: string, run: Probe['run']): Probe => ({
    id: `process/${id}`,
    engine: 'process',
    limit,
    run: () => whereThereIsOne(bench, run),
  })
  const stop = (id: string, limit: string, spec: StopSpec): Probe =>
    probe(id, limit, async () => judgeStop(await bench.shoot(spec.tool), spec))
  return [
    {
      ...stop('sync-loop', 'wall time', {
        ...{ tool: 'p_loop', code: 'TOOL_TIMEOUT', kills: true },
        ...{ mechanism: 'host timer, SIGKILL', byMs: LOOP_MS + GRACE_MS },
      }),
      alone: true,
    },
    stop('small-objects', 'memory', {
      ...{ tool: 'p_objects', code: 'TOOL_OUT_OF_MEMORY', kills: true },
      ...{ mechanism: MEMORY, byMs: LONG_MS },
    }),
    stop('buffers', 'memory', {
      ...{ tool: 'p_buffers', code: 'TOOL_OUT_OF_MEMORY', kills: true },
      ...{ mechanism: MEMORY, byMs: LONG_MS },
    }),
    stop('output-cap', 'output', {
      ...{ tool: 'p_output', code: 'OUTPUT_LIMIT', kills: false },
      ...{ mechanism: 'bytes counted by the host', byMs: 2_000 },
    }),
    probe('swarm', 'processes', () => probeSwarm(bench)),
    probe('left-behind', 'survivors', () => probeLeaves(bench)),
    {
      ...probe('deadline', 'configured times', () =>
        measureTimeout(DEADLINE_MS, 'TOOL_TIMEOUT', () => bench.shoot('p_honours')),
      ),
      alone: true,
    },
  ]
}

async function whereThereIsOne(bench: Bench, run: Probe['run']): Promise<ProbeFinding> {
  try {
    await bench.open()
  } catch (error) {
    const none = isCaissonError(error) && ABSENT.has(error.code)
    if (!none) throw error
    return unavailable('none', error.message)
  }
  return await run()
}

const ABSENT: ReadonlySet<string> = new Set(['CONFIG_INVALID', 'SANDBOX_UNAVAILABLE'])

async function probeSwarm(bench: Bench): Promise<ProbeFinding> {
  const mechanism = 'cgroup, else counted by the host'
  const { result, ms } = await bench.shoot('p_swarm')
  const ended = codeOf(result)
  if (ended === 'TOOL_CRASHED') return holds(mechanism, 'ended for its number of processes', ms)
  if (result.isError) return hole(mechanism, describeResult(result), ms)
  const alive = Number(result.value)
  if (!(alive < PIDS)) return hole(mechanism, `${alive} processes fit into ${PIDS}`, ms)
  return holds(mechanism, `${alive} of ${SWARM} could be started`, ms)
}

async function probeLeaves(bench: Bench): Promise<ProbeFinding> {
  const mechanism = 'the pid namespace ends with the call'
  const before = new Set(listDescendants(process.pid))
  const calling = bench.call('p_leaves')
  const seen = new Set<number>()
  const timer = setInterval(() => {
    for (const pid of listDescendants(process.pid)) if (!before.has(pid)) seen.add(pid)
  }, 20)
  const { result, ms } = await calling
  clearInterval(timer)
  if (result.isError) return hole(mechanism, describeResult(result), ms)
  const sleepers = (): number[] => [...seen].filter((pid) => isRunning(pid) && isSleeper(pid))
  const gone = await until(() => sleepers().length === 0, GONE_MS)
  if (gone === undefined) return hole(mechanism, `${sleepers().length} processes live on`, ms)
  return holds(mechanism, 'nothing of it a second later', ms)
}

function isSleeper(pid: number): boolean {
  return readProc(pid, 'cmdline').startsWith('sleep\0')
}
