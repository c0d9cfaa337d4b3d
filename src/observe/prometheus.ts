import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { measureTree } from '../sandbox/process-tree.ts'
import type { EngineCounts } from '../types/engine.ts'
import type { Subscribe } from '../types/listeners.ts'
import { measureProcess } from './process-metrics.ts'
import { createKeptCounts, type KeptCounts } from './kept-counts.ts'
import { createToolLabels } from './tool-labels.ts'

/** What is measured: the parts of a host, and of who serves it, that are read. */
export interface MeasuredHost {
  readonly on: Subscribe
  readonly tools: { get(name: string): unknown }
  metrics(): Readonly<Record<string, { readonly lateRequests?: number }>>
  engineCounts(): Readonly<Record<string, EngineCounts>>
  childPids(): readonly number[]
}

/** Metrics in the text format of Prometheus. */
export interface PrometheusMetrics extends Disposable {
  readonly contentType: string
  /** Counts what a host does from now on. */
  follow(host: MeasuredHost): void
  /** The host is closed; what it has counted stays. */
  leave(host: MeasuredHost): void
  /** Never rejects because of a tool. */
  render(): Promise<string>
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

/** Begins to count; numbers that a host keeps itself are read when they are asked for. */
export function createPrometheusMetrics(spec: PrometheusSpec): PrometheusMetrics {
  const registry = new Registry()
  const registers = [registry]
  const label = createToolLabels()
  const kept = createKeptCounts(label)
  const observers = [countCalls(registers, label), countApprovals(registers)]
  const endProcess = measureProcess(registers)
  const followed = new Map<MeasuredHost, (() => void)[]>()
  const leave = (host: MeasuredHost): void => {
    for (const off of followed.get(host) ?? []) off()
    followed.delete(host)
  }
  readCounts(kept, registers)
  readState(spec, kept.hosts, registers)
  return {
    contentType: registry.contentType,
    follow(host) {
      followed.set(host, [...observers.map((observe) => observe(host)), kept.follow(host)])
    },
    leave,
    render: () => registry.metrics(),
    [Symbol.dispose]() {
      for (const host of followed.keys()) leave(host)
      endProcess()
      registry.clear()
    },
  }
}

type Registers = Registry[]
type ToLabel = ReturnType<typeof createToolLabels>
/** Follows one more host; returns what ends that. */
type Observe = (host: MeasuredHost) => () => void

const SUCCESS = 'success'

function countCalls(registers: Registers, label: ToLabel): Observe {
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
  return (host) =>
    host.on('tools/result', ({ name }, result) => {
      const tool = label(name, host.tools.get(name) !== undefined)
      const { attempts: tries, timings } = result
      calls.inc({ tool, outcome: result.isError ? result.error.code : SUCCESS })
      duration.observe({ tool }, timings.totalMs / 1_000)
      if (tries.length > 0 || timings.queueMs > 0) queueWait.observe(timings.queueMs / 1_000)
      for (const { code } of tries) attempts.inc({ tool, outcome: code ?? SUCCESS })
    })
}

function countApprovals(registers: Registers): Observe {
  const approvals = new Counter({
    name: 'caisson_approvals_total',
    help: 'Questions of policy, by how they ended.',
    labelNames: ['decision'],
    registers,
  })
  return (host) =>
    host.on('approval/decided', ({ data }) => approvals.inc({ decision: data.outcome }))
}

/** Counters that the hosts keep. */
function readCounts(kept: KeptCounts, registers: Registers): void {
  const ofEngines = (name: string, help: string, of: keyof EngineCounts): void => {
    const counter = new Counter({
      name,
      help,
      labelNames: ['engine'],
      registers,
      collect() {
        counter.reset()
        for (const [engine, count] of kept.engines(of)) counter.inc({ engine }, count)
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
      for (const [tool, count] of kept.late()) late.inc({ tool }, count)
    },
  })
}

function readState(
  spec: PrometheusSpec,
  hosts: Iterable<MeasuredHost>,
  registers: Registers,
): void {
  const pids = (): number[] => [...hosts].flatMap((host) => host.childPids())
  const read = (name: string, help: string, value: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(value()) })
  }
  read('caisson_calls_in_flight', 'Calls under way.', spec.inFlight)
  read(
    'caisson_sandbox_processes',
    'Processes that sandboxes were started as.',
    () => pids().length,
  )
  read(
    'caisson_sandbox_memory_bytes',
    'Memory of their own, of sandboxes and all below them.',
    () => pids().reduce((sum, pid) => sum + measureTree(pid).ownBytes, 0),
  )
  new Gauge({
    name: 'caisson_build_info',
    help: 'Always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: spec.version }, 1)
}
