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
  type Tracer,
} from '@opentelemetry/api'
import { escapeToLine } from '../cards/escape.ts'
import type { Call } from '../pipeline/call.ts'
import type { CallResult, CallToken } from '../types/call.ts'
import {
  toContent,
  toResultAttributes,
  toStartAttributes,
  toToolAttributes,
} from './call-attributes.ts'
import { remoteParent, toTraceparent } from './remote-parent.ts'

/** The spans of calls under way. */
export interface CallSpans {
  start(call: Call): void
  /** Runs one attempt in the context of its call's span, which it hands on as `traceparent`. */
  within<T>(call: Call, run: (traceparent?: string) => Promise<T>): Promise<T>
  note(call: Call, event: string, attributes?: Attributes): void
  settle(call: Call, result: CallResult): void
  /** The call is over, settled or not. */
  end(call: Call): void
}

export interface CallSpansSpec {
  readonly tracer: Tracer
  /** Whether spans also hold arguments and results. */
  readonly content: boolean
  /** Plain JSON data without the secrets that show in it. */
  scrub<T>(value: T): T
  /** The SDK has thrown. */
  failed(error: unknown): void
}

interface Watched {
  readonly span: Span
  readonly context: Context
  /** When each attempt began, in milliseconds since 1970. */
  readonly begun: number[]
  isSettled: boolean
}

/** Creates the spans of a host. While nobody listens, a call costs a look and no span. */
export function createCallSpans(spec: CallSpansSpec): CallSpans {
  const live = new Map<CallToken, Watched>()
  const isSilent = createSilenceCheck()
  const find = ({ exec }: Call): Watched | undefined => live.get(exec.token)
  return {
    start(call) {
      if (live.size === 0 && isSilent() && remoteParent() === undefined) return
      const { parent: outer, token } = call.exec
      const watched = open(call, outer === undefined ? undefined : live.get(outer), spec)
      if (watched !== undefined) live.set(token, watched)
    },
    within(call, run) {
      const watched = find(call)
      if (watched === undefined) return run()
      watched.begun.push(Date.now())
      // Whatever the SDK does around it, the body runs once.
      let running: ReturnType<typeof run> | undefined
      try {
        const traceparent = toTraceparent(watched.span.spanContext())
        context.with(watched.context, () => void (running = run(traceparent)))
      } catch (error) {
        spec.failed(error)
      }
      return running ?? run()
    },
    note: (call, event, attributes) => void find(call)?.span.addEvent(event, attributes),
    settle(call, result) {
      const watched = find(call)
      if (watched?.span.isRecording() === true) describe(watched, result, spec)
    },
    end(call) {
      const watched = find(call)
      if (watched === undefined) return
      live.delete(call.exec.token)
      close(watched)
    },
  }
}

/** Tells whether no SDK has been registered so far. */
function createSilenceCheck(): () => boolean {
  const nothing = new ProxyTracerProvider().getDelegate()
  return () => {
    const provider = trace.getTracerProvider()
    return provider instanceof ProxyTracerProvider && provider.getDelegate() === nothing
  }
}

function open(
  call: Call,
  outer: Watched | undefined,
  { tracer, content, scrub }: CallSpansSpec,
): Watched | undefined {
  const { exec, registration } = call
  const { parent, links } = findParent(outer)
  // A name that a model made up is no name for a kind of span.
  const name = registration === undefined ? 'execute_tool' : `execute_tool ${exec.name}`
  const options = { kind: SpanKind.INTERNAL, attributes: toStartAttributes(call), links }
  const span = tracer.startSpan(name, options, parent)
  if (!isSpanContextValid(span.spanContext())) return undefined
  if (span.isRecording()) {
    span.setAttributes(toToolAttributes(call))
    if (content) span.setAttribute('gen_ai.tool.call.arguments', toContent(scrub(exec.arguments)))
  }
  return { span, context: trace.setSpan(parent, span), begun: [], isSettled: false }
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

function describe(watched: Watched, result: CallResult, { content, scrub }: CallSpansSpec): void {
  const { span, begun } = watched
  watched.isSettled = true
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
  if (result.isError) {
    const message = escapeToLine(scrub(result.error.message), MAX_MESSAGE)
    span.setStatus({ code: SpanStatusCode.ERROR, message })
  }
  if (!content) return
  const given = result.isError ? result.content : result.value
  span.setAttribute('gen_ai.tool.call.result', toContent(scrub(given)))
}

function close({ span, isSettled }: Watched): void {
  if (!isSettled) {
    span.setAttribute('error.type', '_OTHER')
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'the call could not be recorded' })
  }
  span.end()
}
