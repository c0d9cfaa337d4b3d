import { showSpan } from '../load/words.ts'
import type { Subscribe } from '../types/listeners.ts'
import type { ToolProgress } from '../types/call.ts'
import { createLiveLine } from './live-line.ts'
import { toLine, type Output } from './output.ts'

/** What else is printed or asked meanwhile takes the live line away first. */
const INTERRUPTING = ['tool/call', 'approval/asked', 'tool/log', 'tool/result'] as const
const TICK_MS = 250
const SOON_MS = 1_000

/**
 * Says on standard error how far a call is: on a terminal also that it still runs, from its first second
 * on. Listens before whoever prints what happens to the call. Ends when it is disposed of.
 */
export function showCallProgress(
  host: { readonly on: Subscribe },
  tool: string,
  output: Output,
): Disposable {
  const line = createLiveLine(output)
  const begun = performance.now()
  let latest: ToolProgress | undefined
  let asked = 0
  const draw = (): void => {
    if (asked > 0) return
    line.show(() => describe(tool, performance.now() - begun, latest))
  }
  const tick = (): void => {
    if (performance.now() - begun >= SOON_MS) draw()
  }
  const timer = line.isLive ? setInterval(tick, TICK_MS) : undefined
  const stops = [
    ...INTERRUPTING.map((event) => host.on(event, () => line.clear())),
    host.on('approval/asked', () => void (asked += 1)),
    host.on('approval/decided', () => void (asked -= 1)),
    host.on('tools/progress', ({ name }, update) => {
      if (name !== tool) return
      latest = update
      draw()
    }),
  ]
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      for (const stop of stops) stop()
      line.clear()
    },
  }
}

function describe(tool: string, ms: number, latest: ToolProgress | undefined): string {
  const parts = [`${tool} ${showSpan(ms)}`]
  if (latest !== undefined) {
    const { progress, total, message } = latest
    parts.push(total === undefined ? `${progress}` : `${progress} of ${total}`)
    if (message !== undefined) parts.push(message)
  }
  return toLine(parts.join(', '))
}
