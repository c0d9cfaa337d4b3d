import {
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
} from '@opentelemetry/api'
import { escapeToLine } from '../cards/escape.ts'
import type { Call } from '../pipeline/call.ts'
import type { PipelineHost } from '../pipeline/run.ts'
import type { CallResult, CallToken } from '../types/call.ts'
import {
  toContent,
  toResultAttributes,
  toStartAttributes,
  toToolAttributes,
} from './call-attributes.ts'
import { createCallDuration } from './call-duration.ts'
import { remoteParent, toTraceparent } from './remote-parent.ts'

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
  settings: TelemetrySettings,
  version: string,
): PipelineHost {
  const spans = createSpans(host, settings, version)
  const measure = createCallDuration(SCOPE, version)
  let hasFailed = false
  const safely = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      if (hasFailed) return
      hasFailed = true
      const why = error instanceof Error ? error.message : 'it threw'
      host.diagnose(`OpenTelemetry: ${escapeToLine(why)}`)
    }
  }
  return {
    ...host,
    enter(call) {
      host.enter(call)
      safely(() => spans.start(call))
    },
    within: (call, run) => spans.within(call, run),
    approvals: {
      ask(call, agent, reason) {
        const question = host.approvals.ask(call, agent, reason)
        safely(() => spans.note(call, 'caisson.approval.asked'))
        question.outcome.then(
          (outcome) =>
            safely(() =>
              spans.note(call, 'caisson.approval.decided', { 'caisson.approval.outcome': outcome }),
            ),
          () => undefined, // Whoever waits for the answer is told.
        )
        return question
      },
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

/** The spans of calls under way. */
interface Spans {
  start(call: Call): void
  /** Runs one attempt in the context of its call's span, which it hands on as `traceparent`. */
  within<T>(call: Call, run: (traceparent?: string) => Promise<T>): Promise<T>
  note(call: Call, event: string, attributes?: Attributes): void
  settle(call: Call, result: CallResult): void
  /** The call is over, settled or not. */
  end(call: Call): void
}

interface Watched {
  readonly span: Span
  readonly context: Context
  /** When each attempt began, in milliseconds since 1970. */
  readonly begun: number[]
  isSettled: boolean
}

function createSpans(host: PipelineHost, { content }: TelemetrySettings, version: string): Spans {
  const tracer = trace.getTracer(SCOPE, version)
  const live = new Map<CallToken, Watched>()
  const nothing = new ProxyTracerProvider().getDelegate()
  const isSilent = (): boolean => {
    const provider = trace.getTracerProvider()
    return provider instanceof ProxyTracerProvider && provider.getDelegate() === nothing
  }
  const find = ({ exec }: Call): Watched | undefined => live.get(exec.token)
  return {
    start(call) {
      const { exec, registration } = call
      if (live.size === 0 && isSilent() && remoteParent() === undefined) return
      const { parent, links } = findParent(
        exec.parent === undefined ? undefined : live.get(exec.parent),
      )
      // A name that a model made up is no name for a kind of span.
      const name = registration === undefined ? 'execute_tool' : `execute_tool ${exec.name}`
      const options = { kind: SpanKind.INTERNAL, attributes: toStartAttributes(call), links }
      const span = tracer.startSpan(name, options, parent)
      if (!isSpanContextValid(span.spanContext())) return // Nobody listens, and nobody did before.
      live.set(exec.token, {
        span,
        context: trace.setSpan(parent, span),
        begun: [],
        isSettled: false,
      })
      if (!span.isRecording()) return
      span.setAttributes(toToolAttributes(call))
      if (content)
        span.setAttribute('gen_ai.tool.call.arguments', toContent(host.scrub(exec.arguments)))
    },
    within(call, run) {
      const watched = find(call)
      if (watched === undefined) return run()
      watched.begun.push(Date.now())
      return context.with(watched.context, () => run(toTraceparent(watched.span.spanContext())))
    },
    note: (call, event, attributes) => void find(call)?.span.addEvent(event, attributes),
    settle(call, result) {
      const watched = find(call)
      if (watched === undefined || !watched.span.isRecording()) return
      watched.isSettled = true
      describe(watched, result)
      if (!content) return
      const given = result.isError ? result.content : result.value
      watched.span.setAttribute('gen_ai.tool.call.result', toContent(host.scrub(given)))
    },
    end(call) {
      const watched = find(call)
      if (watched === undefined) return
      live.delete(call.exec.token)
      const { span, isSettled } = watched
      if (!isSettled) {
        span.setAttribute('error.type', '_OTHER')
        span.setStatus({ code: SpanStatusCode.ERROR, message: 'the call could not be recorded' })
      }
      span.end()
    },
  }
}

// The outer call, what a client sent, or what the caller is doing, in this order.
function findParent(outer: Watched | undefined): {
  readonly parent: Context
  readonly links: Link[]
} {
  if (outer !== undefined) return { parent: outer.context, links: [] }
  const active = context.active()
  const remote = remoteParent()
  if (remote === undefined) return { parent: active, links: [] }
  const ambient = trace.getSpanContext(active)
  const links = ambient === undefined ? [] : [{ context: ambient }]
  return { parent: trace.setSpanContext(active, remote), links }
}

const MAX_MESSAGE = 500

function describe({ span, begun }: Watched, result: CallResult): void {
  span.setAttributes(toResultAttributes(result))
  for (const { attempt, started, ms, code } of result.attempts) {
    const attributes = {
      'caisson.attempt.number': attempt,
      'caisson.attempt.started': started,
      'caisson.attempt.duration': ms / 1_000,
      ...(code === undefined ? {} : { 'error.type': code }),
    }
    span.addEvent('caisson.attempt', attributes, begun[attempt - 1])
  }
  if (!result.isError) return
  const message = escapeToLine(result.error.message, MAX_MESSAGE)
  span.setStatus({ code: SpanStatusCode.ERROR, message })
}
