import type { LoadReport } from './report.ts'

/** What makes a load's figures mean less than they seem to. */
type Doubtful = Pick<LoadReport, 'load' | 'calls' | 'latency' | 'host' | 'interrupted'>

const LATE_P99_MS = 5
const LATE_MAX_MS = 100
const BUSY_LOOP_MS = 50
const RARE = 1_000

/** Warnings in whole sentences, the gravest first. */
export function toWarnings(report: Doubtful): string[] {
  return [
    warnOfInterruption(report),
    warnOfLag(report),
    warnOfDrops(report),
    warnOfSaturation(report),
    warnOfLoop(report),
    warnOfFewCalls(report),
    warnOfOmission(report),
  ].filter((warning) => warning !== undefined)
}

function warnOfInterruption({ interrupted, calls }: Doubtful): string | undefined {
  if (!interrupted) return undefined
  return `The load was interrupted; ${calls.unfinished} calls that were under way are in no figure.`
}

function warnOfLag({ latency, load }: Doubtful): string | undefined {
  const { p99, max } = latency.lag
  if (load.model === 'closed' || (p99 <= LATE_P99_MS && max <= LATE_MAX_MS)) return undefined
  return (
    `The generator itself lagged: 1 in 100 calls started ${show(p99)} late or more, the worst ${show(max)}. ` +
    'Response times include that delay; it is this process that was busy, not the tool.'
  )
}

function warnOfDrops({ calls, load }: Doubtful): string | undefined {
  if (calls.dropped === 0) return undefined
  return (
    `${calls.dropped} arrivals were dropped because ${load.maxOutstanding} calls were under way ` +
    '(--max-outstanding); response times do not show what they would have waited.'
  )
}

function warnOfSaturation({ latency, load }: Doubtful): string | undefined {
  const { queue, service } = latency
  if (load.model === 'closed' || queue.count === 0 || queue.p50 <= service.p50) return undefined
  return 'More calls arrived than could run: half of them waited longer than they ran.'
}

function warnOfLoop({ host }: Doubtful): string | undefined {
  if (host.eventLoop.p99Ms <= BUSY_LOOP_MS) return undefined
  return `The host's event loop was late by ${show(host.eventLoop.p99Ms)} at the 99th percentile.`
}

function warnOfFewCalls({ latency }: Doubtful): string | undefined {
  const { count } = latency.response
  if (count === 0 || count >= RARE) return undefined
  return `Only ${count} calls succeeded: p99.9${count < RARE / 10 ? ' and p99 are' : ' is'} the slowest of them.`
}

function warnOfOmission({ load }: Doubtful): string | undefined {
  if (load.model === 'open') return undefined
  return (
    'Closed model: while a call is slow its caller makes no others, so what they would have waited ' +
    'is in no figure (coordinated omission). Use --rate to see it.'
  )
}

function show(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
