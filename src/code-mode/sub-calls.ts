import { isCaissonError } from '../errors/caisson-error.ts'
import { admitCall, commitCall, runBody, type PipelineHost } from '../pipeline/run.ts'
import { readInput } from '../pipeline/materialize-call.ts'
import { CODE_TOOL } from '../registry/presentation.ts'
import type { CallResult, Execution } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'

/** What a program is answered. */
export type SubCallAnswer =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string }

/** The calls of one program: they start and commit in the order in which they were made. */
export interface SubCalls {
  /** `request` is the program's own words. Never rejects. */
  submit(request: JsonValue): Promise<SubCallAnswer>
  /** No further one starts; those under way are ended. Resolves once all that started have committed. */
  end(reason: unknown): Promise<void>
}

export interface SubCallsSpec {
  /** The outer call. */
  readonly exec: Execution
  /** The pipeline, recording sub-calls in their own way. */
  readonly host: PipelineHost
  readonly maxParallel: number
  isParallel(name: string, args: JsonValue): Promise<boolean>
  /** Told of each result, in order. */
  committed(name: string, result: CallResult): void
}

const ENDED: SubCallAnswer = { ok: false, message: 'the program has ended' }

/** Creates the calls of one program. */
export function createSubCalls(spec: SubCallsSpec): SubCalls {
  const { exec, host } = spec
  const stop = new AbortController()
  const bodies = new Set<Promise<void>>()
  let count = 0
  let uncommitted = 0
  let starts: Promise<void> = Promise.resolve()
  let commits: Promise<void> = Promise.resolve()

  const start = async (made: Made, settle: (answer: SubCallAnswer) => void): Promise<void> => {
    while (bodies.size >= spec.maxParallel && !stop.signal.aborted) await Promise.race(bodies)
    let parallel = await spec.isParallel(made.name, made.args)
    if (!parallel && uncommitted > 0) {
      await commits
      parallel = await spec.isParallel(made.name, made.args) // What committed may have changed it.
    }
    if (stop.signal.aborted) return settle(ENDED)
    const admitted = await admitCall(toInput(exec, made, stop.signal), host)
    const body = runBody(admitted, host)
    const settled: Promise<void> = body.then(noteEnd, noteEnd)
    function noteEnd(): void {
      bodies.delete(settled)
    }
    bodies.add(settled)
    uncommitted += 1
    const commit = async (): Promise<void> => {
      try {
        const result = await commitCall(admitted, await body, host)
        spec.committed(made.name, result)
        settle(toAnswer(result))
      } catch (error) {
        settle(toRefusal(error))
      } finally {
        uncommitted -= 1
      }
    }
    commits = commits.then(commit)
    if (!parallel) await commits
  }
  return {
    submit(request) {
      const made = readRequest(request)
      if ('refused' in made) return Promise.resolve({ ok: false, message: made.refused })
      if (stop.signal.aborted) return Promise.resolve(ENDED)
      const { promise, resolve } = Promise.withResolvers<SubCallAnswer>()
      count += 1
      const numbered = { ...made, n: count }
      starts = starts.then(() =>
        start(numbered, resolve).catch((error: unknown) => resolve(toRefusal(error))),
      )
      return promise
    },
    async end(reason) {
      stop.abort(reason)
      await starts
      await commits
    },
  }
}

interface Request {
  readonly name: string
  readonly args: JsonValue
}

interface Made extends Request {
  /** From 1, in the order of submission. */
  readonly n: number
}

// What a program says is hostile; what it could not send was turned into a note by its own side.
function readRequest(request: JsonValue): Request | { readonly refused: string } {
  const { name, args, unsendable } = Object(request) as Record<string, JsonValue | undefined>
  if (typeof unsendable === 'string') return { refused: `the arguments are no JSON: ${unsendable}` }
  if (typeof name !== 'string' || args === undefined) return { refused: 'no such call' }
  if (name === CODE_TOOL) return { refused: 'a program cannot run another' }
  return { name, args }
}

function toInput(
  exec: Execution,
  { name, args, n }: Made,
  signal: AbortSignal,
): ReturnType<typeof readInput> {
  return readInput({
    callId: `${exec.callId}:code:${n}`,
    rootCallId: exec.rootCallId,
    name,
    arguments: args,
    parent: exec.token,
    signal,
    ...(exec.agent === undefined ? {} : { agent: exec.agent }),
  })
}

function toAnswer(result: CallResult): SubCallAnswer {
  if (!result.isError) return { ok: true, value: result.value }
  return { ok: false, message: result.error.message }
}

function toRefusal(error: unknown): SubCallAnswer {
  return {
    ok: false,
    message: isCaissonError(error) ? error.message : 'the call could not be made',
  }
}
