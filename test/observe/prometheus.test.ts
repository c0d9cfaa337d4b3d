import { register } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import type { ToolHost } from '../../src/host/create-tool-host.ts'
import { createPrometheusMetrics } from '../../src/observe/prometheus.ts'
import { makeCall, makeFlaky, makeTool, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { sleep } from '../helpers/timing.ts'
import { parseExposition, type Samples } from '../helpers/parse-exposition.ts'

function measure(host: ToolHost): () => Promise<Samples> {
  const metrics = createPrometheusMetrics({ version: '1.2.3', inFlight: () => 7 })
  metrics.follow(host)
  onTestFinished(() => metrics[Symbol.dispose]())
  return async () => parseExposition(await metrics.render())
}

test('calls are counted by tool and outcome, and timed', async () => {
  const { host } = makeHost()
  const scrape = measure(host)
  host.tools.register(makeTool('works'))
  host.tools.register(makeTool('never'))
  host.tools.register(makeFlaky(1))
  host.tools.guard(({ name }) => (name === 'never' ? 'no' : undefined))
  toSuccess(await host.tools.execute(makeCall('works')))
  toSuccess(await host.tools.execute(makeCall('works')))
  toSuccess(await host.tools.execute(makeCall('flaky')))
  toFailed(await host.tools.execute(makeCall('never')))
  const samples = await scrape()
  expect(samples.get('caisson_calls_total{tool="works",outcome="success"}')).toBe(2)
  expect(samples.get('caisson_calls_total{tool="flaky",outcome="success"}')).toBe(1)
  expect(samples.get('caisson_calls_total{tool="never",outcome="DENIED"}')).toBe(1)
  expect(samples.get('caisson_attempts_total{tool="flaky",outcome="TOOL_ERROR"}')).toBe(1)
  expect(samples.get('caisson_attempts_total{tool="flaky",outcome="success"}')).toBe(1)
  expect(samples.has('caisson_attempts_total{tool="never",outcome="DENIED"}')).toBe(false)
  expect(samples.get('caisson_call_duration_seconds_count{tool="works"}')).toBe(2)
  expect(samples.get('caisson_call_duration_seconds_bucket{le="+Inf",tool="works"}')).toBe(2)
  expect(samples.get('caisson_call_duration_seconds_sum{tool="works"}')).toBeLessThan(1)
  expect(samples.get('caisson_queue_wait_seconds_count')).toBe(3)
  expect(samples.get('caisson_calls_in_flight')).toBe(7)
  expect(samples.get('caisson_build_info{version="1.2.3"}')).toBe(1)
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(samples.has('nodejs_eventloop_lag_p99_seconds')).toBe(true)
})

test('names that a model makes up are one series, and tools that come and go are bounded', async () => {
  const { host } = makeHost()
  const scrape = measure(host)
  for (let index = 0; index < 20; index += 1) {
    toFailed(await host.tools.execute(makeCall(`made-up-${index}"} 1\nforged 1`)))
  }
  for (let index = 0; index < 600; index += 1) {
    const remove = host.tools.register(makeTool(`tool"\\{${index}}`))
    toSuccess(await host.tools.execute(makeCall(`tool"\\{${index}}`)))
    remove()
  }
  const samples = await scrape()
  const counted = [...samples].filter(([key]) => key.startsWith('caisson_calls_total{'))
  expect(counted).toHaveLength(502)
  expect(samples.get('caisson_calls_total{tool="unknown tool",outcome="UNKNOWN_TOOL"}')).toBe(20)
  expect(samples.get('caisson_calls_total{tool="other tools",outcome="success"}')).toBe(100)
  expect(samples.get('caisson_calls_total{tool="tool\\"\\\\{0}",outcome="success"}')).toBe(1)
})

test('what the sandbox does is read from the host', async () => {
  const { host } = makeHost()
  const scrape = measure(host)
  const { tools } = await host.tools.load('examples/hostile/busy-loop.mjs', { timeoutMs: 100 })
  toFailed(await host.tools.execute(makeCall(tools[0] ?? '')))
  await expect
    .poll(async () => (await scrape()).get('caisson_kills_total{engine="isolate"}'))
    .toBe(1)
  const samples = await scrape()
  expect(samples.get('caisson_calls_total{tool="busy_loop",outcome="TOOL_TIMEOUT"}')).toBe(1)
  expect(samples.get('caisson_workers_started_total{engine="isolate"}')).toBeGreaterThan(1)
  expect(samples.get('caisson_kills_total{engine="thread"}')).toBe(0)
  expect(samples.get('caisson_sandbox_processes')).toBe(host.childPids().length)
  if (process.platform === 'linux')
    expect(samples.get('caisson_sandbox_memory_bytes')).toBeGreaterThan(1e6)
})

test('approvals are counted by how they ended', async () => {
  const { host } = makeHost()
  const scrape = measure(host)
  host.tools.register(makeTool('asks'))
  host.on('tools/pre-execute', () => ({ kind: 'ask', reason: 'sure?' }))
  host.on('approval/request', () => 'rejected')
  await using session = host.openSession()
  toFailed(await session.agent('a').tools.execute(makeCall('asks')))
  expect((await scrape()).get('caisson_approvals_total{decision="rejected"}')).toBe(1)
})

test('two hosts do not notice each other, and nothing is in the registry that is shared', async () => {
  const one = makeHost().host
  const other = makeHost().host
  const [scrapeOne, scrapeOther] = [measure(one), measure(other)]
  one.tools.register(makeTool('a'))
  toSuccess(await one.tools.execute(makeCall('a')))
  const key = 'caisson_calls_total{tool="a",outcome="success"}'
  expect((await scrapeOne()).get(key)).toBe(1)
  expect((await scrapeOther()).get(key)).toBeUndefined()
  expect(await register.getMetricsAsJSON()).toEqual([])
})

test('how late the event loop was is told once', async () => {
  const { host } = makeHost()
  const scrape = measure(host)
  await sleep(50)
  const until = performance.now() + 700
  while (performance.now() < until);
  await sleep(50)
  const name = 'nodejs_eventloop_lag_max_seconds'
  expect((await scrape()).get(name)).toBeGreaterThan(0.6)
  await sleep(50)
  expect((await scrape()).get(name)).toBeLessThan(0.6)
})

test('what a host has counted stays when another one takes its place', async () => {
  const metrics = createPrometheusMetrics({ version: '1', inFlight: () => 0 })
  onTestFinished(() => metrics[Symbol.dispose]())
  const started = { started: 2, kills: 1, recycles: 0, lost: 0 }
  for (const runs of [1, 2]) {
    const { host } = makeHost()
    host.tools.register(makeTool('works'))
    const measured = {
      on: host.on,
      tools: host.tools,
      metrics: () => ({ works: { lateRequests: runs } }),
      engineCounts: () => ({ isolate: started }),
      childPids: () => [],
    }
    metrics.follow(measured)
    toSuccess(await host.tools.execute(makeCall('works')))
    if (runs === 1) metrics.leave(measured)
  }
  const samples = parseExposition(await metrics.render())
  expect(samples.get('caisson_calls_total{tool="works",outcome="success"}')).toBe(2)
  expect(samples.get('caisson_workers_started_total{engine="isolate"}')).toBe(4)
  expect(samples.get('caisson_kills_total{engine="isolate"}')).toBe(2)
  expect(samples.get('caisson_late_requests_total{tool="works"}')).toBe(3)
})
