import { trace } from '@opentelemetry/api'
import { escapeToLine } from '../cards/escape.ts'
import type { Approvals } from '../approval/service.ts'
import type { PipelineHost } from '../pipeline/run.ts'
import { createCallDuration } from './call-duration.ts'
import { createCallSpans, type CallSpans } from './call-spans.ts'

export interface TelemetrySettings {
  /** Whether spans also hold arguments and results. */
  readonly content: boolean
}

const SCOPE = 'caisson'

/**
 * The host with an OpenTelemetry span and a measured duration around each of its calls, for whatever
 * SDK is registered by the time a call comes. An SDK that throws costs a diagnostic and no call.
 */
export function traceCalls(
  host: PipelineHost,
  { content }: TelemetrySettings,
  version: string,
): PipelineHost {
  const tracer = trace.getTracer(SCOPE, version)
  const safely = createGuard(host.diagnose)
  const failed = (error: unknown): void =>
    safely(() => {
      throw error
    })
  const spans = createCallSpans({ tracer, content, scrub: host.scrub, failed })
  const measure = createCallDuration(SCOPE, version)
  return {
    ...host,
    approvals: followApprovals(host.approvals, spans, safely),
    within: spans.within,
    enter(call) {
      host.enter(call)
      safely(() => spans.start(call))
    },
    settled(call, result) {
      safely(() => {
        spans.settle(call, result)
        measure(call, result)
      })
    },
    leave(call) {
      safely(() => spans.end(call))
      host.leave(call)
    },
  }
}

type Safely = (work: () => void) => void

function createGuard(diagnose: (text: string) => void): Safely {
  let hasFailed = false
  return (work) => {
    try {
      work()
    } catch (error) {
      if (hasFailed) return
      hasFailed = true
      const why = error instanceof Error ? error.message : 'it threw'
      diagnose(`OpenTelemetry: ${escapeToLine(why)}`)
    }
  }
}

function followApprovals(approvals: Approvals, spans: CallSpans, safely: Safely): Approvals {
  return {
    ask(call, agent, reason) {
      const question = approvals.ask(call, agent, reason)
      const note = (event: string, outcome?: string): void =>
        safely(() => {
          const attributes = outcome === undefined ? {} : { 'caisson.approval.outcome': outcome }
          spans.note(call, `caisson.approval.${event}`, attributes)
        })
      note('asked')
      question.outcome.then(
        (outcome) => note('decided', outcome),
        () => undefined, // Whoever waits for the answer is told.
      )
      return question
    },
  }
}
