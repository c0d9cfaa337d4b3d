import { isCaissonError } from '../errors/caisson-error.ts'
import type { CallResult } from '../types/call.ts'
import type { Settled } from './recorder.ts'

/** Where the calls of a phase go. */
export interface LoadTarget {
  /** Makes the call of that index. Resolves to its result, whatever that is. */
  call(index: number, signal: AbortSignal): Promise<CallResult>
  /** Index of the next call. */
  pick(): number
}

/** Who hears what calls do. */
export interface LoadSink {
  dropped(): void
  started(lateMs: number): void
  unfinished(): void
  settled(call: Settled): void
}

/** Makes calls and tells the sink what became of them. */
export interface Caller {
  readonly outstanding: number
  /** Makes one call that was meant to start at `intended`, by the monotonic clock. */
  start(intended: number): void
  /** Aborts what is under way; it counts as unfinished. */
  abort(): void
}

/** Creates a caller; `settled` is called after each call, once the sink has been told. */
export function createCaller(target: LoadTarget, sink: LoadSink, settled: () => void): Caller {
  // One controller a call: listeners of a signal that thousands share are found one by one.
  const live = new Set<AbortController>()
  let aborted = false
  return {
    get outstanding() {
      return live.size
    },
    start(intended) {
      const controller = new AbortController()
      const index = target.pick()
      const finish = (result: CallResult): void => {
        live.delete(controller)
        if (aborted) sink.unfinished()
        else sink.settled({ index, result, responseMs: performance.now() - intended })
        settled()
      }
      live.add(controller)
      sink.started(performance.now() - intended)
      target
        .call(index, controller.signal)
        .then(finish, (error: unknown) => finish(toResult(error)))
    },
    abort() {
      aborted = true
      for (const controller of live) controller.abort(new Error('the load was ended'))
    },
  }
}

// The host rejects only what is no call at all; to a load that is one more failure.
function toResult(error: unknown): CallResult {
  const code = isCaissonError(error) ? error.code : 'PROTOCOL_ERROR'
  const message = error instanceof Error ? error.message : 'the call was refused'
  return {
    isError: true,
    error: { code, name: 'ProtocolError', message },
    content: [],
    attempts: [],
    timings: { queueMs: 0, prepareMs: 0, bodyMs: 0, totalMs: 0 },
  }
}
