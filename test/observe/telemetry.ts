import { AsyncLocalStorage } from 'node:async_hooks'
import {
  context,
  metrics,
  ROOT_CONTEXT,
  trace,
  type Context,
  type ContextManager,
} from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type HistogramMetricData,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace-base'
import { onTestFinished } from 'vitest'

/** What a registered SDK has exported. */
export interface Telemetry {
  readonly spans: ReadableSpan[]
  spanOf(name: string): ReadableSpan
  /** Series of the one histogram there is. */
  histogram(): Promise<HistogramMetricData>
}

/** Registers a whole SDK for the running test, as an application does. */
export function registerTelemetry(options: { readonly sampler?: Sampler } = {}): Telemetry {
  const exporter = new InMemorySpanExporter()
  const tracing = new BasicTracerProvider({
    ...options,
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
  const series = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: series })
  const metering = new MeterProvider({ readers: [reader] })
  trace.setGlobalTracerProvider(tracing)
  metrics.setGlobalMeterProvider(metering)
  context.setGlobalContextManager(createContextManager())
  onTestFinished(async () => {
    trace.disable()
    metrics.disable()
    context.disable()
    await Promise.all([tracing.shutdown(), metering.shutdown()])
  })
  return {
    get spans() {
      return exporter.getFinishedSpans()
    },
    spanOf(name) {
      const found = exporter.getFinishedSpans().filter((span) => span.name === name)
      const [span] = found
      if (found.length === 1 && span !== undefined) return span
      throw new Error(`${found.length} spans are named ${name}`)
    },
    async histogram() {
      await reader.forceFlush()
      const [metric, ...more] = series.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? []
      if (metric === undefined || more.length > 0) throw new Error('expected one metric')
      return metric as HistogramMetricData
    },
  }
}

function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, fn, thisArg, ...args) =>
      storage.run(active, () => Reflect.apply(fn, thisArg, args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}
