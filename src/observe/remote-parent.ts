import { AsyncLocalStorage } from 'node:async_hooks'
import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api'

// Beside the context manager of an SDK, which may not be there: what a client sent goes on to servers
// all the same.
const REMOTE = new AsyncLocalStorage<SpanContext | undefined>()

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/
const MAX_LENGTH = 512

/** Runs `work` so that calls it makes continue the W3C trace context in `meta`, if there is one. */
export function continueTrace<T>(meta: unknown, work: () => T): T {
  const parent = parseTraceContext(meta)
  return parent === undefined ? work() : REMOTE.run(parent, work)
}

/** What `continueTrace` found, for whoever runs inside it. */
export function remoteParent(): SpanContext | undefined {
  return REMOTE.getStore()
}

/** A span's place in the form of W3C `traceparent`. */
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`
}

/** `traceparent` and `tracestate` of a request; undefined for anything that is not well formed. */
function parseTraceContext(meta: unknown): SpanContext | undefined {
  const { traceparent, tracestate } = Object(meta) as Readonly<Record<string, unknown>>
  if (typeof traceparent !== 'string' || traceparent.length > MAX_LENGTH) return undefined
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  const isStated = typeof tracestate === 'string' && tracestate.length <= MAX_LENGTH
  const parent: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(isStated ? { traceState: createTraceState(tracestate) } : {}),
  }
  return isSpanContextValid(parent) ? parent : undefined
}
