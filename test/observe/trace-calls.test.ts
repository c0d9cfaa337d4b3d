import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AlwaysOffSampler, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeCall, makeFlaky, makeTool, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { createSandboxedHost, warmUp } from '../helpers/sandboxed-host.ts'
import { continueTrace } from '../../src/observe/remote-parent.ts'
import type { CallResult } from '../../src/types/call.ts'
import { registerTelemetry } from './telemetry.ts'

const eventsOf = (span: ReadableSpan): unknown[] =>
  span.events.map(({ name, attributes }) => ({ name, ...attributes }))

test('a call is a span with the GenAI attributes, and a measured duration', async () => {
  const telemetry = registerTelemetry()
  const { host } = makeHost()
  host.tools.register(makeTool('adds', { description: 'Adds.' }))
  const call = makeCall('adds', { secret: 'of the arguments' })
  toSuccess(await host.tools.execute(call))
  const span = telemetry.spanOf('execute_tool adds')
  expect(span.kind).toBe(SpanKind.INTERNAL)
  expect(span.status.code).toBe(SpanStatusCode.UNSET)
  expect(span.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'adds',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': call.callId,
    'gen_ai.tool.description': 'Adds.',
    'caisson.engine': 'inline',
    'caisson.queue.duration': 0,
    'caisson.attempt.count': 1,
  })
  expect(span.parentSpanContext).toBeUndefined()
  const { descriptor, dataPoints } = await telemetry.histogram()
  expect(descriptor).toMatchObject({ name: 'gen_ai.execute_tool.duration', unit: 's' })
  const [point] = dataPoints
  expect(point?.attributes).toEqual({
    'gen_ai.tool.name': 'adds',
    'gen_ai.tool.type': 'function',
  })
  const boundaries = point?.value.buckets.boundaries ?? []
  expect(boundaries.slice(0, 3)).toEqual([0.01, 0.02, 0.04])
  expect(boundaries.at(-1)).toBe(81.92)
  expect(point?.value.count).toBe(1)
  expect(point?.value.sum).toBeLessThan(1)
})

test('a failure has our code and a status that no tool can abuse', async () => {
  const telemetry = registerTelemetry()
  const secrets = { KEY: { value: 'hunter2-hunter2', hosts: ['https://api.example.com'] } }
  const { host } = makeHost({ secrets })
  const message = `broken\u001b[2J\nforged hunter2-hunter2 ${'x'.repeat(10_000)}`
  host.tools.register(
    makeTool('breaks', {
      execute() {
        throw new Error(message)
      },
    }),
  )
  toFailed(await host.tools.execute(makeCall('breaks')))
  const { attributes, status } = telemetry.spanOf('execute_tool breaks')
  expect(attributes['error.type']).toBe('TOOL_ERROR')
  expect(status.code).toBe(SpanStatusCode.ERROR)
  expect(status.message).toMatch(/^broken\\x1b\[2J⏎forged \[secret KEY\] x+…$/)
  expect(status.message?.length).toBeLessThan(600)
  const { dataPoints } = await telemetry.histogram()
  expect(dataPoints[0]?.attributes['error.type']).toBe('TOOL_ERROR')
})

test('retries are events of the one span', async () => {
  const telemetry = registerTelemetry()
  const { host } = makeHost()
  host.tools.register(makeFlaky(2, 20))
  toSuccess(await host.tools.execute(makeCall('flaky')))
  const span = telemetry.spanOf('execute_tool flaky')
  expect(span.attributes['caisson.attempt.count']).toBe(3)
  const events = eventsOf(span)
  expect(events).toMatchObject([
    { name: 'caisson.attempt', 'caisson.attempt.number': 1, 'error.type': 'TOOL_ERROR' },
    { name: 'caisson.attempt', 'caisson.attempt.number': 2, 'error.type': 'TOOL_ERROR' },
    { name: 'caisson.attempt', 'caisson.attempt.number': 3, 'caisson.attempt.started': true },
  ])
  const [first, second] = span.events.map(({ time: [s, ns] }) => s * 1_000 + ns / 1e6)
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(10)
})

test("a call is a child of what its caller is doing; what its body does is the call's", async () => {
  const telemetry = registerTelemetry()
  const { host } = makeHost()
  const tracer = trace.getTracer('application')
  host.tools.register(
    makeTool('works', { execute: () => tracer.startSpan('inside').end() ?? null }),
  )
  const outside = tracer.startSpan('outside')
  await context.with(trace.setSpan(context.active(), outside), () =>
    host.tools.execute(makeCall('works')),
  )
  const call = telemetry.spanOf('execute_tool works')
  expect(call.parentSpanContext?.spanId).toBe(outside.spanContext().spanId)
  const { spanId } = call.spanContext()
  expect(telemetry.spanOf('inside').parentSpanContext?.spanId).toBe(spanId)
})

test('what a request brought is the parent; what was active besides becomes a link', async () => {
  const telemetry = registerTelemetry()
  const { host } = makeHost()
  host.tools.register(makeTool('works'))
  const outside = trace.getTracer('application').startSpan('outside')
  const meta = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'vendor=1',
  }
  await context.with(trace.setSpan(context.active(), outside), () =>
    continueTrace(meta, () => host.tools.execute(makeCall('works'))),
  )
  const span = telemetry.spanOf('execute_tool works')
  expect(span.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c')
  expect(span.spanContext().traceState?.get('vendor')).toBe('1')
  expect(span.parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', isRemote: true })
  expect(span.links.map((link) => link.context.spanId)).toEqual([outside.spanContext().spanId])
})

test('a nested call is a child of the call that made it, whoever runs it', async () => {
  const telemetry = registerTelemetry()
  const { host } = makeHost()
  host.tools.register(makeTool('inner'))
  host.tools.register(
    makeTool('outer', {
      async execute(_args, { token, signal }) {
        const call = makeCall('inner', {}, { parent: token, signal })
        await context.with(trace.deleteSpan(context.active()), () => host.tools.execute(call))
        return null
      },
    }),
  )
  toSuccess(await host.tools.execute(makeCall('outer')))
  const outer = telemetry.spanOf('execute_tool outer')
  const inner = telemetry.spanOf('execute_tool inner')
  expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId)
})

test('names that a model makes up are one series and no span name', async () => {
  const telemetry = registerTelemetry()
  const { host } = makeHost()
  for (let index = 0; index < 5; index += 1) {
    toFailed(await host.tools.execute(makeCall(`made-up-${index}\u001b[2J`)))
  }
  expect(new Set(telemetry.spans.map(({ name }) => name))).toEqual(new Set(['execute_tool']))
  expect(telemetry.spans[0]?.attributes['gen_ai.tool.name']).toBe('made-up-0\\x1b[2J')
  const { dataPoints } = await telemetry.histogram()
  expect(dataPoints).toHaveLength(1)
  expect(dataPoints[0]?.attributes['gen_ai.tool.name']).toBe('unknown tool')
  expect(dataPoints[0]?.value.count).toBe(5)
})

test('arguments and results are in spans only where that was asked for, cut and without secrets', async () => {
  const telemetry = registerTelemetry()
  const secrets = { KEY: { value: 'hunter2-hunter2', hosts: ['https://api.example.com'] } }
  const { host } = makeHost({ telemetry: { content: true }, secrets })
  host.tools.register(makeTool('echoes'))
  const args = { key: 'hunter2-hunter2', long: 'x'.repeat(100_000) }
  toSuccess(await host.tools.execute(makeCall('echoes', args)))
  const { attributes } = telemetry.spanOf('execute_tool echoes')
  for (const key of ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']) {
    expect(attributes[key]).toContain('[secret KEY]')
    expect(attributes[key]).not.toContain('hunter2')
    expect(attributes[key]).toHaveLength(16_384)
  }
})

test('a denied call is a span without attempts; an asked one tells the answer', async () => {
  const telemetry = registerTelemetry()
  const { host } = makeHost()
  host.tools.register(makeTool('asks'))
  host.tools.register(makeTool('never'))
  host.tools.guard(({ name }) => (name === 'never' ? 'no' : undefined))
  host.on('tools/pre-execute', () => ({ kind: 'ask', reason: 'sure?' }))
  host.on('approval/request', () => 'allowed-once')
  await using session = host.openSession()
  const agent = session.agent('agent-1')
  toFailed(await agent.tools.execute(makeCall('never')))
  toSuccess(await agent.tools.execute(makeCall('asks')))
  const denied = telemetry.spanOf('execute_tool never')
  expect(denied.attributes).toMatchObject({ 'error.type': 'DENIED', 'gen_ai.agent.id': 'agent-1' })
  expect(denied.events).toEqual([])
  expect(eventsOf(telemetry.spanOf('execute_tool asks'))).toMatchObject([
    { name: 'caisson.approval.asked' },
    { name: 'caisson.approval.decided', 'caisson.approval.outcome': 'allowed-once' },
    { name: 'caisson.attempt' },
  ])
})

test('an SDK that comes late is used; one that throws costs a diagnostic and no call', async () => {
  const { host, diagnostics } = makeHost()
  host.tools.register(makeTool('a'))
  toSuccess(await host.tools.execute(makeCall('a')))
  const sampler = { isBroken: false, shouldSample: () => ({ decision: 2 }), toString: () => 's' }
  const telemetry = registerTelemetry({ sampler })
  toSuccess(await host.tools.execute(makeCall('a')))
  expect(telemetry.spans).toHaveLength(1)
  expect((await telemetry.histogram()).dataPoints[0]?.value.count).toBe(1)
  sampler.shouldSample = () => {
    throw new Error('broken sampler')
  }
  toSuccess(await host.tools.execute(makeCall('a')))
  toSuccess(await host.tools.execute(makeCall('a')))
  expect(diagnostics).toEqual(['OpenTelemetry: broken sampler'])
})

test('a context that cannot be entered costs a diagnostic, and the body runs once', async () => {
  registerTelemetry()
  const { host, diagnostics } = makeHost()
  let runs = 0
  host.tools.register(makeTool('a', { execute: () => (runs += 1) }))
  const broken = vi.spyOn(context, 'with').mockImplementation(() => {
    throw new Error('broken manager')
  })
  onTestFinished(() => broken.mockRestore())
  toSuccess(await host.tools.execute(makeCall('a')))
  broken.mockImplementation((_at, run, self, ...args) => {
    Reflect.apply(run, self, args)
    throw new Error('broken afterwards')
  })
  toSuccess(await host.tools.execute(makeCall('a')))
  expect([runs, diagnostics]).toEqual([2, ['OpenTelemetry: broken manager']])
})

test('telemetry: false makes no span, and neither does a call that is not sampled', async () => {
  const telemetry = registerTelemetry({ sampler: new AlwaysOffSampler() })
  for (const options of [{ telemetry: false }, {}]) {
    const { host } = makeHost(options)
    host.tools.register(makeTool('a'))
    toSuccess(await host.tools.execute(makeCall('a')))
  }
  expect(telemetry.spans).toEqual([])
  expect((await telemetry.histogram()).dataPoints[0]?.value.count).toBe(1)
})

test('the calls of a program are children of the program', async () => {
  const telemetry = registerTelemetry()
  const { host } = makeHost()
  host.tools.register(makeTool('inner'))
  await using session = host.openSession()
  const agent = session.agent('main')
  agent.tools.presentAs('code')
  const args = { code: 'return await tools.inner({})', description: 'a test' }
  toSuccess(await agent.tools.execute(makeCall('run_code', args)))
  const outer = telemetry.spanOf('execute_tool run_code')
  const inner = telemetry.spanOf('execute_tool inner')
  expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId)
  expect(inner.status.code).toBe(SpanStatusCode.UNSET)
})

test('the wait for a slot is told apart from the work', async () => {
  const telemetry = registerTelemetry()
  await using host = await createSandboxedHost({ maxRunners: 1 })
  await warmUp(host)
  const waits = (): Promise<CallResult> => host.tools.execute(makeCall('waits', { ms: 200 }))
  const before = telemetry.spans.length
  await Promise.all([waits(), waits()])
  const waited = telemetry.spans
    .slice(before)
    .map(({ attributes }) => Number(attributes['caisson.queue.duration']))
    .toSorted((a, b) => a - b)
  expect(waited[0]).toBe(0)
  expect(waited[1]).toBeGreaterThan(0.1)
})
