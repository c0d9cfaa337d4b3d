import { isCaissonError } from '../errors/caisson-error.ts'
import type { BodyJob, BodyOutcome, CallServices } from '../types/engine.ts'
import type { JsonObject, JsonValue } from '../types/json.ts'
import type { LoadedSource } from '../types/source.ts'
import { createProgramOutput, type ProgramOutput } from './output.ts'
import type { SubCalls } from './sub-calls.ts'

/** Limits of one program. */
export interface CodeLimits {
  /** CPU time of the program itself; waiting for its calls is free. */
  readonly computeMs: number
  readonly maxWallMs: number
  /** Of what it prints and returns, together. */
  readonly maxOutputBytes: number
}

export interface ProgramRun {
  readonly job: BodyJob
  readonly limits: CodeLimits
  readonly subCalls: SubCalls
  /** Puts the program into its isolate. Throws `LOAD_FAILED` for one that does not parse. */
  load(): Promise<LoadedSource>
}

type Untimed<T> = T extends unknown ? Omit<T, 'prepareMs' | 'bodyMs'> : never
export type ProgramOutcome = Untimed<BodyOutcome>

/** How a program failed. */
export type CodeFailure =
  'exception' | 'timeout' | 'abort' | 'worker-exit' | 'invalid-output' | 'output-limit'

/** Runs one program; resolves once it and every call it made have ended. Never rejects. */
export async function runProgram(run: ProgramRun): Promise<ProgramOutcome> {
  const { job, limits, subCalls } = run
  const stop = createStop(job.signal, limits.maxWallMs)
  const output = createProgramOutput(limits.maxOutputBytes, () => stop.now('output-limit'))
  let loaded: LoadedSource | undefined
  try {
    loaded = await run.load()
    const services = toServices(job.services, output, {
      subCalls,
      overflow: () => stop.now('output-limit'),
    })
    const signal = stop.signal
    const ended = await loaded
      .body('program')
      .run({ ...toInnerJob(job), signal, visibleSignal: signal, services })
    return await settle(ended, { output, cause: stop.cause, subCalls })
  } catch (error) {
    if (!isCaissonError(error)) throw error
    await subCalls.end(error)
    if (error.code === 'LOAD_FAILED') return fail('exception', toReason(error), output.logs)
    return fail('worker-exit', error.message, output.logs)
  } finally {
    stop.release()
    await loaded?.dispose()
  }
}

/** The failure of a program with what it had printed. */
function fail(kind: CodeFailure, why: string, logs: readonly string[]): ProgramOutcome {
  const message = `the program failed (${kind}): ${why}`
  return {
    kind: 'died',
    code: 'CODE_RUN_FAILED',
    message,
    started: true,
    facts: { kind, logs: [...logs] },
  }
}

interface Ended {
  readonly output: ProgramOutput
  readonly cause: CodeFailure | undefined
  readonly subCalls: SubCalls
}

async function settle(
  ended: BodyOutcome,
  { output, cause, subCalls }: Ended,
): Promise<ProgramOutcome> {
  await subCalls.end(new Error('the program has ended'))
  const { logs } = output
  if (cause !== undefined) return fail(cause, TEXTS[cause] ?? cause, logs)
  switch (ended.kind) {
    case 'returned': {
      const { result } = ended.value as { readonly result?: JsonValue }
      if (result !== undefined && !output.fits(Buffer.byteLength(JSON.stringify(result))))
        return fail('output-limit', TEXTS['output-limit'] ?? '', logs)
      const value: JsonObject = { logs: [...logs], ...(result === undefined ? {} : { result }) }
      return { kind: 'returned', value }
    }
    case 'unusable':
      return ended.code === 'OUTPUT_LIMIT'
        ? fail('output-limit', ended.message, logs)
        : fail('invalid-output', ended.message, logs)
    case 'threw': {
      const { name, message } = ended.thrown
      return fail('exception', `${name}: ${message}`, logs)
    }
    case 'died':
      return fail(
        ended.code === 'TOOL_TIMEOUT' ? 'timeout' : toDeath(ended.code),
        ended.message,
        logs,
      )
    default:
      return ended
  }
}

const TEXTS: Partial<Record<CodeFailure, string>> = {
  timeout: 'it took longer than a program may',
  'output-limit': 'it printed and returned more than a program may',
}

function toDeath(code: string): CodeFailure {
  return code === 'OUTPUT_LIMIT' ? 'output-limit' : 'worker-exit'
}

function toReason(error: { readonly message: string; readonly facts: object }): string {
  const violations: unknown = Reflect.get(error.facts, 'violations')
  return Array.isArray(violations) ? violations.map(String).join('; ') : error.message
}

// The program has arguments of its own; the code it was made from is nothing it needs to see.
function toInnerJob(job: BodyJob): BodyJob {
  return { ...job, exec: { ...job.exec, arguments: {} }, wantsMeta: false }
}

function toServices(
  outer: CallServices,
  output: ProgramOutput,
  { subCalls, overflow }: { readonly subCalls: SubCalls; overflow(): void },
): CallServices {
  return {
    bodyStarted: () => outer.bodyStarted(),
    deferContext: () => undefined,
    concludeTurn: () => undefined,
    log: (_level, text) => void output.print(text),
    logDropped: overflow,
    progress: () => undefined,
    lendSecrets: () => undefined,
    request: async (_capability, payload) => await subCalls.submit(payload),
    tunnel: (request) => outer.tunnel(request),
  }
}

/** What ends a program from outside: its call, its wall clock, its output. The first counts. */
function createStop(
  call: AbortSignal,
  maxWallMs: number,
): {
  readonly signal: AbortSignal
  readonly cause: CodeFailure | undefined
  now(cause: CodeFailure): void
  release(): void
} {
  const controller = new AbortController()
  let cause: CodeFailure | undefined
  const now = (why: CodeFailure): void => {
    if (controller.signal.aborted) return
    cause = why
    controller.abort(new Error(TEXTS[why] ?? why))
  }
  const ended = (): void => controller.abort(call.reason)
  const timer = setTimeout(() => now('timeout'), maxWallMs)
  if (call.aborted) ended()
  else call.addEventListener('abort', ended, { once: true })
  return {
    signal: controller.signal,
    get cause() {
      return cause
    },
    now,
    release() {
      clearTimeout(timer)
      call.removeEventListener('abort', ended)
    },
  }
}
