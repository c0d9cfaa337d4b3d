import { spawnSync } from 'node:child_process'
import { runnerCommand } from '../engine/isolate/runner-command.ts'
import type { RunnerLaunch } from '../engine/isolate/runner-launch.ts'
import { createRunnerProcess } from '../engine/isolate/runner-process.ts'
import type { Bench } from './bench.ts'
import { hole, holds, unavailable } from './finding.ts'
import { addonVersion } from './report.ts'
import type { Probe, ProbeFinding } from './types.ts'
import { isRunning, listDescendants, listDescriptors, readProc, readProcLink } from './world.ts'

/** Starts a program in the place of a runner and says what became of it. */
export type StartRunner = (
  code: string,
  without?: string,
) => { readonly status: number | null; readonly stdout: string; readonly stderr: string }

const LAUNCH: RunnerLaunch = {
  memoryMb: 64,
  jit: true,
  isolates: 1,
  kernelLimits: 'preferred',
  walls: undefined,
}
const START_MS = 15_000
const READY_MS = 5_000
const DEATH_MS = 500
const REFUSED = 78
const ROOT_ID = 0
const FLAG = '--no-node-snapshot'

/** What the process around an isolate promises, whatever runs in it. */
export function runnerProbes(
  bench: Bench,
  runnerCode: () => Promise<string>,
  start: StartRunner = startRunner,
): Probe[] {
  const probe = (id: string, limit: string, run: Probe['run']): Probe => ({
    id: `isolate/${id}`,
    engine: 'isolate',
    limit,
    run,
  })
  return [
    probe('addon-pair', 'interpreter', () => probePair(bench)),
    probe('flag', 'interpreter', async () => probeFlag(await runnerCode(), start)),
    probe('runner-process', 'environment', () => probeProcess(bench)),
    probe('runner-files', 'disk', async () => probeFiles(start)),
    probe('runner-memory', 'memory', async () => probeDataLimit(start)),
    probe('catastrophe', 'kill', () =>
      probeDeath(CATASTROPHE, 'memory', 'last words read, SIGKILL'),
    ),
    probe('long-frame', 'output', () => probeDeath(LONG_FRAME, 'output', 'frame length, SIGKILL')),
    probe('no-debugger', 'environment', () => probeDebugger(bench)),
  ]
}

/** Runs `code` under the real command line of runners, less the option `without`. */
function startRunner(code: string, without?: string): ReturnType<StartRunner> {
  const { file, args } = runnerCommand({ code, launch: LAUNCH }, ['/nowhere', 'session'])
  const given = args.filter((arg) => arg !== without)
  const options = { cwd: '/', env: {}, encoding: 'utf8', timeout: START_MS } as const
  const { status, stdout, stderr } = spawnSync(file, given, options)
  return { status, stdout, stderr }
}

async function probePair(bench: Bench): Promise<ProbeFinding> {
  const mechanism = 'a runner was started'
  const pair = `Node ${process.versions.node} with isolated-vm ${addonVersion()}`
  const { result, ms } = await bench.call('absent')
  if (result.isError) return hole(mechanism, `${pair}: ${result.error.message}`)
  return holds(mechanism, pair, ms)
}

function probeFlag(code: string, start: StartRunner): ProbeFinding {
  const mechanism = 'the runner looks at its own options'
  const { status, stderr } = start(code, FLAG)
  if (status !== REFUSED || !stderr.includes(FLAG))
    return hole(mechanism, `a runner without ${FLAG} went on (exit ${status})`)
  return holds(mechanism, `without ${FLAG} it exits before it loads the addon`)
}

async function probeProcess(bench: Bench): Promise<ProbeFinding> {
  const mechanism = 'empty environment, three pipes, uid dropped'
  if (process.platform !== 'linux') return unavailable(mechanism, 'cannot be seen on this system')
  const { host } = await bench.open()
  await bench.call('absent')
  const faults = host.childPids().flatMap((pid) => {
    const own = innermost(pid)
    return isRunning(own) && isBooted(own) ? faultsOf(own) : []
  })
  const [first] = faults
  if (first !== undefined) return hole(mechanism, first)
  return holds(mechanism, 'no variables, nothing open but pipes, folder /, no privileges')
}

// A confiner may stand between the host and the runner.
function innermost(pid: number): number {
  return listDescendants(pid).at(-1) ?? pid
}

// One that is still on its way has neither dropped anything nor loaded a tool.
function isBooted(pid: number): boolean {
  if (process.getuid?.() !== ROOT_ID) return true
  return !/^Uid:\t0\t/m.test(readProc(pid, 'status'))
}

function faultsOf(pid: number): string[] {
  const kept = [...listDescriptors(pid).values()].filter(
    (target) => !/^(pipe:|anon_inode:|socket:|\/dev\/null$|\/$)/.test(target),
  )
  const status = readProc(pid, 'status')
  const faults: [boolean, string][] = [
    [readProc(pid, 'environ') !== '', 'a runner has environment variables'],
    [readProcLink(pid, 'cwd') !== '/', 'a runner is in a folder of the host'],
    [kept.length > 0, `a runner has ${kept.join(', ')} open`],
    [!/^CapEff:\t0+$/m.test(status), 'a runner has capabilities'],
  ]
  return faults.flatMap(([bad, text]) => (bad ? [text] : []))
}

function probeFiles(start: StartRunner): ProbeFinding {
  const mechanism = 'RLIMIT_FSIZE 0, RLIMIT_NOFILE'
  if (process.platform === 'win32') return unavailable(mechanism, 'there are no rlimits here')
  const { stdout } = start(FILES)
  const said = stdout.trim()
  const [written = '', opened = ''] = said.split(' ')
  if (!/^(EFBIG|EACCES|EROFS|EPERM|ENOENT)$/.test(written))
    return hole(mechanism, `a runner wrote a file (${said || 'no answer'})`)
  if (opened !== 'EMFILE') return hole(mechanism, `a runner opened 200 files (${opened})`)
  return holds(mechanism, `write: ${written}; 200 open files: ${opened}`)
}

function probeDataLimit(start: StartRunner): ProbeFinding {
  const mechanism = 'RLIMIT_DATA'
  if (process.platform !== 'linux') return unavailable(mechanism, 'not kept by this system')
  const { status, stdout } = start(BUFFERS)
  if (stdout.includes('had'))
    return hole(mechanism, 'a runner had 3 GB of buffers, far over its cap')
  return holds(mechanism, `3 GB of buffers: refused (exit ${status ?? 'by a signal'})`)
}

async function probeDeath(code: string, cause: string, mechanism: string): Promise<ProbeFinding> {
  const runner = createRunnerProcess({ code, launch: LAUNCH, prepareTimeoutMs: READY_MS })
  const timer = setTimeout(() => runner.kill('killed', 'by the probe'), READY_MS + START_MS / 3)
  await runner.ready.catch(() => undefined)
  const begun = performance.now()
  const death = await runner.dead
  clearTimeout(timer)
  const ms = performance.now() - begun
  if (death.detail === 'by the probe') return hole(mechanism, 'the runner lived on', ms)
  if (ms > DEATH_MS) return hole(mechanism, `dead only after ${Math.round(ms)} ms`, ms)
  if (death.cause !== cause)
    return hole(mechanism, `the death was taken for ${death.cause}, not ${cause}`, ms)
  return holds(mechanism, `dead, and named: ${death.cause}`, ms)
}

async function probeDebugger(bench: Bench): Promise<ProbeFinding> {
  const mechanism = '--disable-sigusr1'
  if (process.platform !== 'linux') return unavailable(mechanism, 'cannot be seen on this system')
  const { host } = await bench.open()
  await bench.call('absent')
  for (const pid of host.childPids().map(innermost)) {
    if (!isRunning(pid) || !isBooted(pid)) continue
    process.kill(pid, 'SIGUSR1')
    await new Promise((resolve) => setTimeout(resolve, 200))
    const inodes = [...listDescriptors(pid).values()].flatMap(
      (to) => /^socket:\[(\d+)\]/.exec(to)?.[1] ?? [],
    )
    const listening = ['tcp', 'tcp6'].flatMap((name) => readProc(pid, `net/${name}`).split('\n'))
    if (listening.some((row) => / 0A /.test(row) && inodes.some((id) => row.includes(` ${id} `))))
      return hole(mechanism, 'SIGUSR1 made a runner listen on a port')
  }
  return holds(mechanism, 'SIGUSR1 makes no runner listen')
}

// They speak as a runner does: a first frame that says ready, then what the probe is about.
const READY = `const say = (text) => { const body = Buffer.from(text); const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length); fs.writeSync(1, Buffer.concat([head, body])) }
  const fs = require('node:fs'); const session = process.argv.at(-1)
  say(JSON.stringify({ t: 'ready', s: session }));`
const CATASTROPHE = `${READY} fs.writeSync(2, 'caisson-runner: catastrophe: heap\\n'); for (;;) {}`
const LONG_FRAME = `${READY} fs.writeSync(1, Buffer.from([0, 0x20, 0, 0])); for (;;) {}`
const FILES = `const fs = require('node:fs'); const said = []
  process.on('SIGXFSZ', () => {})
  const file = '/tmp/caisson-doctor-' + process.pid
  try { fs.writeFileSync(file, 'x'); said.push('written') } catch (e) { said.push(e.code) }
  try { fs.unlinkSync(file) } catch {}
  try { for (let i = 0; i < 200; i++) fs.openSync('/dev/null'); said.push('opened') }
  catch (e) { said.push(e.code) }
  process.stdout.write(said.join(' '))`
const BUFFERS = `const kept = []
  for (let i = 0; i < 300; i++) kept.push(Buffer.alloc(1e7, 1))
  process.stdout.write('had')`
