import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { measureTree } from '../sandbox/process-tree.ts'
import type { EngineCounts } from '../types/engine.ts'
import type { Subscribe } from '../types/listeners.ts'
import { measureProcess } from './process-metrics.ts'
import { createToolLabels } from './tool-labels.ts'

/** What is measured: the parts of a host, and of who serves it, that are read. */
export interface MeasuredHost {
  readonly on: Subscribe
  readonly tools: { get(name: string): unknown }
  metrics(): Readonly<Record<string, { readonly lateRequests?: number }>>
  engineCounts(): Readonly<Record<string, EngineCounts>>
  childPids(): readonly number[]
}

/** Metrics of one host in the text format of Prometheus. */
export interface PrometheusMetrics {
  readonly contentType: string
  /** Never rejects because of a tool. */
  render(): Promise<string>
  close(): void
}

export interface PrometheusSpec {
  readonly version: string
  /** Calls under way. */
  inFlight(): number
}

/** Seconds: 1, 2 and 5 ms, then 10 ms doubling to 81.92 s. */
const BUCKETS = [
  0.001,
  0.002,
  0.005,
  ...Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power),
]

/** Begins to count; numbers that the host keeps itself are read when they are asked for. */
export function createPrometheusMetrics(
  host: MeasuredHost,
  spec: PrometheusSpec,
): PrometheusMetrics {
  const registry = new Registry()
  const registers = [registry]
  const label = createToolLabels()
  const toolOf = (name: string): string => label(name, host.tools.get(name) !== undefined)
  const stops = [
    countCalls(host, toolOf, registers),
    countApprovals(host, registers),
    measureProcess(registers),
  ]
  readCounts(host, toolOf, registers)
  readState(host, spec, registers)
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    close() {
      for (const stop of stops) stop()
      registry.clear()
    },
  }
}

type Registers = Registry[]
type ToTool = (name: string) => string

const SUCCESS = 'success'

function countCalls(host: MeasuredHost, toolOf: ToTool, registers: Registers): () => void {
  const calls = new Counter({
    name: 'caisson_calls_total',
    help: 'Calls that ended, by success or the code of their failure.',
    labelNames: ['tool', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'caisson_call_duration_seconds',
    help: 'From asking to the checked answer.',
    labelNames: ['tool'],
    buckets: BUCKETS,
    registers,
  })
  const queueWait = new Histogram({
    name: 'caisson_queue_wait_seconds',
    help: 'How long calls waited for a slot of their engine.',
    buckets: BUCKETS,
    registers,
  })
  const attempts = new Counter({
    name: 'caisson_attempts_total',
    help: 'Tries at a body, by success or the code of their failure.',
    labelNames: ['tool', 'outcome'],
    registers,
  })
  return host.on('tools/result', ({ name }, result) => {
    const tool = toolOf(name)
    const { attempts: tries, timings } = result
    calls.inc({ tool, outcome: result.isError ? result.error.code : SUCCESS })
    duration.observe({ tool }, timings.totalMs / 1_000)
    if (tries.length > 0 || timings.queueMs > 0) queueWait.observe(timings.queueMs / 1_000)
    for (const { code } of tries) attempts.inc({ tool, outcome: code ?? SUCCESS })
  })
}

function countApprovals(host: MeasuredHost, registers: Registers): () => void {
  const approvals = new Counter({
    name: 'caisson_approvals_total',
    help: 'Questions of policy, by how they ended.',
    labelNames: ['decision'],
    registers,
  })
  return host.on('approval/decided', ({ data }) => approvals.inc({ decision: data.outcome }))
}

/** Counters that the host keeps. */
function readCounts(host: MeasuredHost, toolOf: ToTool, registers: Registers): void {
  const ofEngines = (name: string, help: string, of: keyof EngineCounts): void => {
    const counter = new Counter({
      name,
      help,
      labelNames: ['engine'],
      registers,
      collect() {
        counter.reset()
        for (const [engine, counts] of Object.entries(host.engineCounts()))
          counter.inc({ engine }, counts[of])
      },
    })
  }
  ofEngines('caisson_workers_started_total', 'Runners, threads and programs started.', 'started')
  ofEngines('caisson_kills_total', 'Of these, ended by force or dead under a call.', 'kills')
  ofEngines('caisson_worker_recycles_total', 'Of these, replaced in good order.', 'recycles')
  ofEngines('caisson_workers_lost_total', 'Of these, written off: not seen dead in time.', 'lost')
  const late = new Counter({
    name: 'caisson_late_requests_total',
    help: 'What tools asked of the host after their call had settled.',
    labelNames: ['tool'],
    registers,
    collect() {
      late.reset()
      for (const [name, { lateRequests = 0 }] of Object.entries(host.metrics()))
        if (lateRequests > 0) late.inc({ tool: toolOf(name) }, lateRequests)
    },
  })
}

function readState(host: MeasuredHost, spec: PrometheusSpec, registers: Registers): void {
  const read = (name: string, help: string, value: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(value()) })
  }
  read('caisson_calls_in_flight', 'Calls under way.', spec.inFlight)
  read(
    'caisson_sandbox_processes',
    'Processes that sandboxes were started as.',
    () => host.childPids().length,
  )
  read(
    'caisson_sandbox_memory_bytes',
    'Memory of their own, of sandboxes and all below them.',
    () => host.childPids().reduce((sum, pid) => sum + measureTree(pid).ownBytes, 0),
  )
  new Gauge({
    name: 'caisson_build_info',
    help: 'Always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: spec.version }, 1)
}
