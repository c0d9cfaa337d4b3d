import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

/** The monitor measures from one of its own timers to the next: this much is not delay. */
const RESOLUTION_MS = 10
const NS_PER_MS = 1e6
const US_PER_S = 1e6

/**
 * Adds what is known of this process, under the names that dashboards for Node.js know: memory,
 * processor time, and how late the event loop was since the last scrape. Returns what ends the watch.
 */
export function measureProcess(registers: Registry[]): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const seconds = (ns: number): number =>
    delay.count === 0 ? 0 : Math.max(0, ns / NS_PER_MS - RESOLUTION_MS) / 1_000
  const read = (name: string, help: string, value: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(value()) })
  }
  read('process_resident_memory_bytes', 'Resident memory of the host process.', () =>
    process.memoryUsage.rss(),
  )
  read('nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed)
  read('nodejs_heap_size_total_bytes', 'Heap set aside.', () => process.memoryUsage().heapTotal)
  read('nodejs_eventloop_lag_p50_seconds', 'Event loop delay since the last scrape, median.', () =>
    seconds(delay.percentile(50)),
  )
  read('nodejs_eventloop_lag_p99_seconds', 'The same, 99th percentile.', () =>
    seconds(delay.percentile(99)),
  )
  // Read last of the three, in the order in which they were registered.
  read('nodejs_eventloop_lag_max_seconds', 'The same, at worst.', () => {
    const worst = seconds(delay.max)
    delay.reset()
    return worst
  })
  read(
    'process_start_time_seconds',
    'When the process began, in seconds since 1970.',
    () => Math.round(performance.timeOrigin) / 1_000,
  )
  const cpu: Counter = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the host process.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      cpu.reset()
      cpu.inc((user + system) / US_PER_S)
    },
  })
  return () => delay.disable()
}
