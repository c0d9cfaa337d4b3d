import { join } from 'node:path'
import { CaissonError } from '../../errors/caisson-error.ts'
import { pathInside } from '../../loader/package-path.ts'
import { toGrantedFolders } from '../../sandbox/granted-folders.ts'
import type { Lane, ToolBody } from '../../types/engine.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type { BundledSource, LoadedSource } from '../../types/source.ts'
import type { RealmLimits } from '../../../workers/isolate/protocol.ts'
import type { ProgramOpen } from '../../../workers/process/protocol.ts'
import { describeInRunner } from '../isolate/describe.ts'
import type { RunnerSeat } from '../isolate/seat.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import type { Gate } from '../shared/gate.ts'
import { ENVELOPE_BYTES, toRealmLimits } from '../shared/request.ts'
import { runBody, runProjection } from '../shared/run.ts'
import { createNodeProgram } from './node-program.ts'
import { createStandIns, nodeBind, SANDBOX_NODE, toProgramEnv } from './program-env.ts'
import { createProgramSeat } from './program-seat.ts'
import type { Program, Sandboxes } from './sandboxes.ts'

/** What loading modules into programs takes. */
export interface ModuleSpec {
  readonly sandboxes: Sandboxes
  readonly lane: Lane
  /** Bounds what runs without a slot: descriptions and projections. */
  readonly aside: Gate
  /** Plain JavaScript text of workers/process/shim. */
  shim(): Promise<string>
  readonly workspace: string
  readonly hostPath: string
  readonly loadTimeoutMs: number
}

interface Domain {
  readonly source: BundledSource
  readonly profile: SandboxProfile
  readonly limits: RealmLimits
  readonly open: ProgramOpen
}

const MB = 1024 * 1024
/** What Node itself needs besides the heap of its tool. */
const NODE_MB = 128
/** What it reserves: about 570 MB at its start. The kernel counts that as data, used or not. */
const NODE_DATA_MB = 1_024

/** Runs module top level and registration in a program of its own; the manifests are unchecked. */
export async function loadModule(
  spec: ModuleSpec,
  source: BundledSource,
  profile: SandboxProfile,
): Promise<LoadedSource> {
  const domain = createDomain(source, profile)
  const seat = await leaseAside(spec, domain)
  const described = await describeInRunner(seat, spec.loadTimeoutMs)
  return {
    ...described,
    body: (tool) => createModuleBody(spec, domain, tool),
    dispose: () => Promise.resolve(), // Nothing is kept between two calls.
  }
}

function createModuleBody(spec: ModuleSpec, domain: Domain, tool: string): ToolBody {
  const run = {
    tool,
    limits: domain.limits,
    lease: () => lease(spec, domain, () => undefined),
    leaseAside: () => leaseAside(spec, domain),
  }
  return {
    engine: 'process',
    lane: spec.lane,
    run: (job) => runBody(run, job),
    project: (job) => runProjection(run, job),
  }
}

async function leaseAside(spec: ModuleSpec, domain: Domain): Promise<RunnerSeat> {
  const leave = await spec.aside.enter()
  try {
    return await lease(spec, domain, leave)
  } catch (error) {
    leave()
    throw error
  }
}

/** A booted program that has been given the source. */
async function lease(spec: ModuleSpec, domain: Domain, leave: () => void): Promise<RunnerSeat> {
  const { profile, limits, open } = domain
  const env = createStandIns(profile)
  const [sandbox, shim] = await Promise.all([
    spec.sandboxes.open(toProgram(spec, domain, env)),
    spec.shim(),
  ])
  sandbox.process.stdin?.end(shim)
  const program = createNodeProgram(sandbox, open)
  const timer = setTimeout(() => program.kill('spawn', 'not ready in time'), spec.loadTimeoutMs)
  try {
    await program.ready
  } catch {
    throw await whyNotReady(program.dead)
  } finally {
    clearTimeout(timer)
  }
  const seatLimits = {
    frameBytes: Math.max(limits.outputBytes, limits.requestBytes) + ENVELOPE_BYTES,
    cpuMs: profile.limits.cpuMs,
    prepareTimeoutMs: spec.loadTimeoutMs,
    standIns: () => ({ now: env, env: {} }),
  }
  return createProgramSeat(program, seatLimits, leave)
}

function toProgram(
  { workspace, hostPath }: ModuleSpec,
  { source, profile }: Domain,
  standIns: Readonly<Record<string, string>>,
): Program {
  const { memoryMb } = profile.limits
  const confined = profile.confinement !== 'none'
  const node = confined ? SANDBOX_NODE : process.execPath
  return {
    // The shim comes on stdin: a command line could not hold it, and everybody could read it there.
    argv: [node, '--disable-sigusr1', `--max-old-space-size=${memoryMb}`, '-'],
    env: toProgramEnv(profile, hostPath, standIns),
    hasStdin: true,
    hasChannel: true,
    profile,
    roots: { workspace, package: source.root },
    folders: toGrantedFolders(profile.fs),
    ...(source.files === undefined ? {} : { files: source.files }),
    binds: [nodeBind(process.execPath)],
    memoryBytes: (memoryMb + NODE_MB) * MB,
    dataBytes: (2 * memoryMb + NODE_DATA_MB) * MB,
  }
}

function createDomain(source: BundledSource, profile: SandboxProfile): Domain {
  const { root, entry, code, config } = source
  const inside = pathInside(root, entry) ?? ''
  return {
    source,
    profile,
    limits: toRealmLimits(profile),
    open: {
      t: 'open',
      code,
      entry: profile.confinement === 'none' ? entry : join('/package', inside),
      ...(config === undefined ? {} : { config }),
    },
  }
}

async function whyNotReady(dead: Promise<EngineDeath>): Promise<CaissonError> {
  const { cause, detail, exitCode, signal } = await dead
  if (cause === 'memory') {
    const text = 'Node does not start within the memory its profile gives it'
    return new CaissonError('TOOL_OUT_OF_MEMORY', text)
  }
  const end = [detail, signal ?? '', exitCode === undefined ? '' : `exit code ${exitCode}`]
  const text = `Node did not start in its sandbox (${end.filter(Boolean).join(', ') || cause})`
  return new CaissonError('ENGINE_UNAVAILABLE', text)
}
