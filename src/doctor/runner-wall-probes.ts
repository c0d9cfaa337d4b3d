import { createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { startRunnerChild } from '../engine/isolate/runner-child.ts'
import type { RunnerLaunch } from '../engine/isolate/runner-launch.ts'
import type { Unconfinable } from '../sandbox/confiner-reasons.ts'
import { locateAddon } from '../sandbox/node-files.ts'
import { findRunnerWalls, findWallFault, type RunnerWalls } from '../sandbox/runner-walls.ts'
import { hole, holds, unavailable } from './finding.ts'
import { JITLESS_PROBE, RUNNER_WALLS_PROBE } from './report.ts'
import type { Probe, ProbeFinding } from './types.ts'
import { isRunning, listDescendants, until } from './world.ts'

/** What a program in the place of a confined runner has found out and got away with. */
export interface WallReport {
  /** Names at the top of its disk. */
  readonly top: readonly string[]
  /** What it could do, in words. */
  readonly got: readonly string[]
  /** Connections that this machine saw meanwhile. */
  readonly connections: number
  /** What it lacks, as seen from outside. */
  readonly fault: string | undefined
}

const MECHANISM = 'bubblewrap around the runner'
const INTERPRETER = '--jitless'
const RUN_MS = 10_000
const GONE_MS = 1_000
const EXPECTED = new Set(['caisson', 'lib', 'lib32', 'lib64', 'libx32', 'usr', 'opt', 'nix'])
const LAUNCH = { memoryMb: 64, jit: true, isolates: 1, kernelLimits: 'preferred' } as const
const KINDS = {
  network: ['network', /^(tcp|udp|unix)/],
  files: ['disk', /^(read|wrote)/],
  processes: ['environment', /^(processes|signal|variables)/],
} as const

/** The walls around runners, each tried from inside by a program in the place of one. */
export function runnerWallProbes(path: string = process.env['PATH'] ?? ''): Probe[] {
  const walls = once(() => chooseWalls(path))
  const report = once(async () => {
    const found = await walls()
    return 'reason' in found ? found : tryFromInside(found)
  })
  const probe = (id: string, limit: string, run: Probe['run']): Probe => ({
    id,
    engine: 'isolate',
    limit,
    run,
  })
  return [
    probe(RUNNER_WALLS_PROBE, 'kernel', async () => judgeWalls(await report())),
    ...Object.entries(KINDS).map(([kind, [limit, pattern]]) =>
      probe(`isolate/runner-${kind}`, limit, async () => judgeKind(await report(), pattern)),
    ),
    probe('isolate/runner-end', 'kill', async () => probeEnd(await walls())),
    probe(JITLESS_PROBE, 'interpreter', () => probeJitless()),
  ]
}

/** The row of the walls as a whole. */
export function judgeWalls(report: WallReport | Unconfinable): ProbeFinding {
  if ('reason' in report) {
    const detail = `runners are not confined: ${report.reason}; ${report.hint}`
    const fallback = 'a user of their own, rlimits, an empty environment'
    return { ...unavailable('none', detail), fallback }
  }
  const { fault, top } = report
  if (fault !== undefined) return hole(MECHANISM, `a runner came up, but ${fault}`)
  const foreign = top.filter((name) => !EXPECTED.has(name))
  if (foreign.length > 0) return hole(MECHANISM, `a runner sees ${foreign.join(', ')}`)
  return holds(MECHANISM, 'namespaces of its own, a filter of system calls, a disk with Node alone')
}

function judgeKind(report: WallReport | Unconfinable, pattern: RegExp): ProbeFinding {
  if ('reason' in report) return unavailable('none', `${report.reason}; ${report.hint}`)
  const got = report.got.filter((what) => pattern.test(what))
  if (pattern === KINDS.network[1] && report.connections > 0)
    got.push('a local listener was called')
  if (got.length > 0) return hole(MECHANISM, `a runner got: ${got.join(', ')}`)
  return holds(MECHANISM, 'tried from inside, and refused')
}

async function chooseWalls(path: string): Promise<RunnerWalls | Unconfinable> {
  const addon = (): string => locateAddon(createRequire(import.meta.url).resolve('isolated-vm'))
  const found = await findRunnerWalls({ path, node: process.execPath, addon })
  if ('reason' in found) return found
  for (const walls of found) {
    const { stdout } = await runInRunner({ ...LAUNCH, walls }, "process.stdout.write('up')")
    if (stdout === 'up') return walls
  }
  return { reason: 'bubblewrap starts no runner', hint: 'see what the probes of programs say' }
}

async function tryFromInside(walls: RunnerWalls): Promise<WallReport> {
  let connections = 0
  const server = await listen(createServer((socket) => void (socket.destroy(), (connections += 1))))
  const port = Reflect.get(Object(server.address()), 'port') as number
  try {
    const args = [`${port}`, `${process.pid}`]
    const { stdout, fault } = await runInRunner({ ...LAUNCH, walls }, INSIDE, args)
    const told: unknown = JSON.parse(stdout)
    const { top, got } = told as Pick<WallReport, 'top' | 'got'>
    return { top: top.map(String), got: got.map(String), connections, fault }
  } finally {
    server.close()
  }
}

async function probeEnd(walls: RunnerWalls | Unconfinable): Promise<ProbeFinding> {
  if ('reason' in walls) return unavailable('none', `${walls.reason}; ${walls.hint}`)
  const child = startRunnerChild({
    code: 'process.stdin.resume()',
    launch: { ...LAUNCH, walls },
    args: [],
  })
  child.stdout.resume()
  child.stderr.resume()
  await until(() => child.node() !== undefined, RUN_MS)
  const below = listDescendants(child.pid ?? 0)
  const begun = performance.now()
  child.kill()
  await child.ended
  const gone = await until(() => !below.some(isRunning), GONE_MS)
  const ms = performance.now() - begun
  if (below.length === 0) return hole(MECHANISM, 'no runner came up')
  if (gone === undefined) return hole(MECHANISM, 'Node lives on after the end of bubblewrap', ms)
  return holds(MECHANISM, `${below.length + 1} processes gone`, ms)
}

async function probeJitless(): Promise<ProbeFinding> {
  const launch = { ...LAUNCH, jit: false, walls: undefined }
  const kind = await runInRunner(launch, 'process.stdout.write(typeof WebAssembly)')
  if (kind.stdout !== 'undefined') return hole(INTERPRETER, 'V8 compiles all the same')
  const bomb = await runInRunner(launch, BUFFERS)
  if (bomb.stdout.includes('had'))
    return hole(`${INTERPRETER}, RLIMIT_DATA`, 'a runner had 1 GB of buffers, far over its cap')
  return holds(`${INTERPRETER}, RLIMIT_DATA`, 'nothing is compiled; 1 GB of buffers: refused')
}

interface Ran {
  readonly stdout: string
  /** What it lacked of its walls while it ran. */
  readonly fault: string | undefined
}

async function runInRunner(
  launch: RunnerLaunch,
  code: string,
  args: readonly string[] = [],
): Promise<Ran> {
  const child = startRunnerChild({ code, launch, args })
  let stdout = ''
  let fault: string | undefined
  child.stderr.resume()
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    const node = child.node()
    if (launch.walls !== undefined && node !== undefined) fault ??= findWallFault(node)
    child.stdin.end()
  })
  const timer = setTimeout(() => child.kill(), RUN_MS)
  await child.ended
  clearTimeout(timer)
  return { stdout, fault }
}

function listen(server: Server): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

// Becomes nobody as a runner does, and stays until it is told to end, so that it can be looked at from outside.
const INSIDE = `if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534) }
  const fs = require('node:fs'); const net = require('node:net'); const got = []
  const [port, host] = process.argv.slice(-2).map(Number)
  const attempt = (what, act) => { try { act(); got.push(what) } catch {} }
  const dial = (what, ...to) => new Promise((done) => { try {
    net.connect(...to).on('connect', () => { got.push(what); done() }).on('error', done)
  } catch { done() } })
  for (const file of ['/etc/passwd', '/etc/hostname', '/proc/self/environ', '/root', '/home', '/tmp', '/dev'])
    attempt('read ' + file, () => fs.statSync(file).isDirectory() ? fs.readdirSync(file) : fs.readFileSync(file))
  for (const folder of ['/', '/caisson/', '/tmp/', '/dev/shm/', '/lib/'])
    attempt('wrote in ' + folder, () => fs.writeFileSync(folder + 'caisson-doctor', 'x'))
  attempt('processes', () => fs.readdirSync('/proc'))
  attempt('signal', () => process.kill(host, 0))
  for (const name of Object.keys(process.env)) got.push('variables: ' + name)
  const top = fs.readdirSync('/')
  Promise.all([
    dial('tcp to this machine', port, '127.0.0.1'), dial('tcp to another', 53, '192.0.2.1'),
    dial('unix socket', '/run/systemd/private'),
    new Promise((done) => { try {
      require('node:dgram').createSocket('udp4').on('error', done).bind(0, () => { got.push('udp'); done() })
    } catch { done() } }),
  ]).then(() => {
    process.stdin.resume().on('end', () => process.exit()).on('close', () => process.exit())
    process.stdout.write(JSON.stringify({ top, got }))
  })`
const BUFFERS = `const kept = []
  for (let i = 0; i < 100; i++) kept.push(Buffer.alloc(1e7, 1))
  process.stdout.write('had')`
