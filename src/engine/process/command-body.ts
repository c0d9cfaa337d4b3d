import type { CommandManifest } from '../../types/command.ts'
import type {
  BodyJob,
  BodyOutcome,
  Lane,
  ProjectionJob,
  ProjectionOutcome,
  ToolBody,
} from '../../types/engine.ts'
import type { JsonValue } from '../../types/json.ts'
import { collectOutput } from './collect-output.ts'
import { toCommandLine } from './command-line.ts'
import { notStarted, toCommandOutcome, type UntimedOutcome } from './command-outcome.ts'
import { createLineLog } from './line-log.ts'
import type { Sandbox } from './sandbox.ts'
import { openUnlessAborted, stopOnAbort } from './stop-program.ts'

/** What a command tool runs with. */
export interface CommandSpec {
  readonly manifest: CommandManifest
  readonly outputBytes: number
  readonly logBytes: number
  readonly cpuMs: number | undefined
  readonly lane: Lane
  /** Where a file of the tool's own lies for the program. */
  fileAt(path: string): string
  /** What the program of one call sees of each secret. */
  standIns(): Readonly<Record<string, string>>
  open(
    argv: readonly [string, ...string[]],
    standIns: Readonly<Record<string, string>>,
  ): Promise<Sandbox>
}

const STDERR_TAIL = 2_048

/** The body of a command: one program per call, in a sandbox of its own. */
export function createCommandBody(spec: CommandSpec): ToolBody {
  return {
    engine: 'process',
    lane: spec.lane,
    run: (job) => runCommandBody(spec, job),
    project: (job) => Promise.resolve(projectCommand(job)),
  }
}

async function runCommandBody(spec: CommandSpec, job: BodyJob): Promise<BodyOutcome> {
  const entered = performance.now()
  const line = toCommandLine(spec.manifest, job.exec.arguments, spec.fileAt)
  if (line.kind === 'refused') {
    return { ...notStarted('INVALID_ARGS', line.reason), prepareMs: 0, bodyMs: 0 }
  }
  const standIns = spec.standIns()
  job.services.lendSecrets(standIns)
  const place = await openUnlessAborted(() => spec.open(line.argv, standIns), job.signal)
  const begun = performance.now()
  const prepareMs = begun - entered
  if (!('process' in place)) return { ...place, prepareMs, bodyMs: 0 }
  job.services.bodyStarted()
  const outcome = await converseWith(place, spec, job)
  return { ...outcome, prepareMs, bodyMs: performance.now() - begun }
}

async function converseWith(
  sandbox: Sandbox,
  spec: CommandSpec,
  job: BodyJob,
): Promise<UntimedOutcome> {
  const { stdin, stdout, stderr } = sandbox.process
  const output = collectOutput(stdout, spec.outputBytes, () =>
    sandbox.kill('output', 'more output than the profile allows'),
  )
  const log = createLineLog('error', spec.logBytes, job.services)
  let tail = ''
  stderr.on('data', (chunk: Buffer) => {
    log.write(chunk)
    tail = (tail + chunk.toString('utf8')).slice(-STDERR_TAIL)
  })
  sandbox.limitCpu(spec.cpuMs)
  sandbox.wayOut?.open(job.services)
  // A program that does not read its input is no failure.
  stdin?.end(`${JSON.stringify(job.exec.arguments)}\n`)
  const stop = stopOnAbort(sandbox, job)
  const death = await Promise.race([sandbox.dead, stop.lost])
  stop.release()
  log.end()
  if (death === 'lost') return { kind: 'stopped', started: true, unconfirmed: true }
  if (stop.killed) return { kind: 'stopped', started: true }
  return toCommandOutcome(death, spec.manifest, { text: () => output.text(), stderr: tail })
}

function projectCommand({ kind, input }: ProjectionJob): ProjectionOutcome {
  if (kind !== 'render') return { kind: 'failed', message: `a command has no ${kind}` }
  const value: JsonValue = input[1] ?? null
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return { kind: 'returned', value: [{ type: 'text', text }] }
}
