import type { BodyJob, BodyOutcome, Lane } from '../../types/engine.ts'
import type { JsonObject } from '../../types/json.ts'
import { toDeath } from '../shared/death.ts'
import { notStarted, type UntimedOutcome } from './command-outcome.ts'
import { keepHeadAndTail, type HeadAndTail } from './head-and-tail.ts'
import type { Sandbox } from './sandbox.ts'
import { openUnlessAborted, stopOnAbort } from './stop-program.ts'

/** One line for a shell. */
export interface ShellLine {
  readonly command: string
  /** Folder below the workspace; empty for the workspace itself. */
  readonly folder: string
  readonly timeoutMs: number
  /** How its sandbox is called in its value. */
  readonly sandbox: string
}

/** What running shell lines takes. */
export interface ShellSpec {
  readonly lane: Lane
  /** Bytes kept of each stream, half from its beginning and half from its end. */
  readonly keptBytes: number
  /** Where the workspace is for the program. */
  readonly workspace: string
  /** What a line sees of each secret. */
  standIns(): Readonly<Record<string, string>>
  /** Opens a sandbox for the line. */
  open(
    argv: readonly [string, ...string[]],
    standIns: Readonly<Record<string, string>>,
  ): Promise<Sandbox>
}

const MAX_COMMAND_BYTES = 100 * 1024
/** A program that prints more than this is ended. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const TIMEOUT_TAIL = 4_096
// The folder and the line are arguments: neither is ever part of a text that a shell reads.
const SCRIPT =
  'cd -- "$1" || exit 126; command -v bash >/dev/null 2>&1 && exec bash -c "$2"; exec sh -c "$2"'

/**
 * Runs a line in a sandbox of its own. A program that ends has a value, whatever its exit code; one
 * that is still there at its deadline is asked to end, then killed with all it started: `TOOL_TIMEOUT`.
 */
export async function runShellLine(
  spec: ShellSpec,
  line: ShellLine,
  job: BodyJob,
): Promise<BodyOutcome> {
  const entered = performance.now()
  if (Buffer.byteLength(line.command) > MAX_COMMAND_BYTES || line.command.includes('\0')) {
    const text = `command is longer than ${MAX_COMMAND_BYTES} bytes, or holds NUL`
    return { ...notStarted('TOOL_ERROR', text), prepareMs: 0, bodyMs: 0 }
  }
  const folder = line.folder === '' ? spec.workspace : `${spec.workspace}/${line.folder}`
  const argv = ['/bin/sh', '-c', SCRIPT, 'sh', folder, line.command] as const
  const standIns = spec.standIns()
  job.services.lendSecrets(standIns)
  const place = await openUnlessAborted(() => spec.open(argv, standIns), job.signal)
  const begun = performance.now()
  const prepareMs = begun - entered
  if (!('process' in place)) return { ...place, prepareMs, bodyMs: 0 }
  job.services.bodyStarted()
  place.wayOut?.open(job.services)
  const outcome = await converse(place, { spec, line, job })
  return { ...outcome, prepareMs, bodyMs: performance.now() - begun }
}

async function converse(
  sandbox: Sandbox,
  run: { readonly spec: ShellSpec; readonly line: ShellLine; readonly job: BodyJob },
): Promise<UntimedOutcome> {
  const { spec, line, job } = run
  const caps = { half: Math.ceil(spec.keptBytes / 2), limit: MAX_OUTPUT_BYTES }
  const flooded = (): void => sandbox.kill('output', 'it printed without end')
  const stdout = keepHeadAndTail(sandbox.process.stdout, caps, flooded)
  const stderr = keepHeadAndTail(sandbox.process.stderr, caps, flooded)
  const begun = performance.now()
  const overdue = new AbortController()
  const timer = setTimeout(() => overdue.abort(), line.timeoutMs)
  const late = stopOnAbort(sandbox, { signal: overdue.signal, graceMs: job.graceMs })
  const stop = stopOnAbort(sandbox, job)
  const death = await Promise.race([sandbox.dead, stop.lost, late.lost])
  clearTimeout(timer)
  late.release()
  stop.release()
  if (death === 'lost') return { kind: 'stopped', started: true, unconfirmed: true }
  if (job.signal.aborted) return { kind: 'stopped', started: true }
  if (overdue.signal.aborted) return toTimeout(line.timeoutMs, stdout, stderr)
  if (death.cause !== 'exit') return toDeath({ by: 'died', death }, true)
  return {
    kind: 'returned',
    value: { ...toValue({ death, stdout, stderr, begun }), sandbox: line.sandbox },
  }
}

function toValue(ended: {
  readonly death: { readonly exitCode?: number; readonly signal?: string }
  readonly stdout: HeadAndTail
  readonly stderr: HeadAndTail
  readonly begun: number
}): JsonObject {
  const { death, stdout, stderr, begun } = ended
  return {
    exitCode: death.exitCode ?? null,
    signal: death.signal ?? null,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.isCut || stderr.isCut,
    durationMs: Math.round(performance.now() - begun),
  }
}

function toTimeout(timeoutMs: number, stdout: HeadAndTail, stderr: HeadAndTail): UntimedOutcome {
  const said = `${stdout.text()}${stderr.text()}`.slice(-TIMEOUT_TAIL)
  const rest = said === '' ? '' : `; the end of what it printed:\n${said}`
  const message = `the command was still running after ${timeoutMs} ms and was ended${rest}`
  return { kind: 'died', code: 'TOOL_TIMEOUT', message, started: true, facts: { timeoutMs } }
}
