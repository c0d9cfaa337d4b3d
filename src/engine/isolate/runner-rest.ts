import { createLazyTimer } from '../shared/lazy-timer.ts'

/** Keeps track of whether tool code may be running in a runner, and for how long it may without a call. */
export interface RunnerRest {
  /** The runner prepares a context from now on. */
  expect(): void
  /** It says that it has. */
  prepared(): void
  /** A request runs, under a deadline of its own. */
  begin(): void
  finish(): void
  end(): void
}

export interface RestSink {
  /** Tool code may run. Called again when a request begins. */
  busy(): void
  /** It cannot. */
  quiet(): void
  /** The runner has said something out of turn. */
  failed(detail: string): void
  /** A preparation has not come to its end. */
  late(): void
}

/** Creates the record of one runner; `prepareMs` bounds a preparation that no request waits for. */
export function createRunnerRest(prepareMs: number, sink: RestSink): RunnerRest {
  let owed = 0
  let live = false
  const timer = createLazyTimer(sink.late)
  const review = (): void => {
    timer.clear()
    if (live) return
    if (owed > 0) timer.set(prepareMs)
    else sink.quiet()
  }
  return {
    expect() {
      owed += 1
      sink.busy()
      review()
    },
    prepared() {
      if (owed === 0) return sink.failed('a message out of turn')
      owed -= 1
      review()
    },
    begin() {
      live = true
      sink.busy()
      review()
    },
    finish() {
      live = false
      review()
    },
    end: () => timer.clear(),
  }
}
