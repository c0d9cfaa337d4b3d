import type { LoadProgress } from '../load/run-load.ts'
import { showMs, showRate, showSpan } from '../load/words.ts'
import { createLiveLine } from './live-line.ts'
import type { Output } from './output.ts'

/** Says on standard error how far a load is: one live line on a terminal, else a line now and then. */
export interface Progress {
  readonly show: (progress: LoadProgress) => void
  /** Takes the live line away. */
  end(): void
}

/** Creates the progress of one load; with `--json` off a terminal it says nothing. */
export function createProgress(output: Output): Progress {
  const line = createLiveLine(output)
  return {
    show: (progress) => line.show(() => toLine(progress)),
    end: () => line.clear(),
  }
}

function toLine(progress: LoadProgress): string {
  const { phase, elapsedMs, expectedMs, requests, ok, failed, dropped, last } = progress
  const isOver = expectedMs !== undefined && elapsedMs > expectedMs
  const span = expectedMs === undefined || isOver ? '' : ` of ${showSpan(expectedMs)}`
  const total = requests === undefined ? '' : ` of ${requests}`
  const parts = [
    `${phase} ${showSpan(elapsedMs)}${span}${isOver ? ' (waiting for the last calls)' : ''}`,
    `${ok + failed}${total} settled`,
    `${failed} failed`,
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
    ...(last === undefined ? [] : describeLast(last)),
  ]
  return parts.join(', ')
}

function describeLast(last: NonNullable<LoadProgress['last']>): string[] {
  const { ok, width, p50, p99, outstanding } = last
  const rate = width === 0 ? 0 : (ok * 1_000) / width
  return [
    showRate(rate),
    ...(ok === 0 ? [] : [`p50 ${showMs(p50)} ms, p99 ${showMs(p99)} ms`]),
    `${outstanding} under way`,
  ]
}
