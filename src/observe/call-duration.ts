import { createNoopMeter, metrics, type Histogram, type MeterProvider } from '@opentelemetry/api'
import type { Call } from '../pipeline/call.ts'
import type { CallResult } from '../types/call.ts'
import { createToolLabels } from './tool-labels.ts'
import { toToolType } from './call-attributes.ts'

const NAME = 'gen_ai.execute_tool.duration'
/** Seconds. */
const BUCKETS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power)

/** Records how long calls took; nothing while no meter provider is registered. */
export function createCallDuration(
  scope: string,
  version: string,
): (call: Call, result: CallResult) => void {
  const label = createToolLabels()
  const noop = createNoopMeter()
  let known: MeterProvider | undefined
  let histogram: Histogram | undefined
  // Instruments made before a provider is registered stay silent for ever.
  const find = (): Histogram | undefined => {
    const provider = metrics.getMeterProvider()
    if (provider === known) return histogram
    known = provider
    const meter = provider.getMeter(scope, version)
    const options = {
      unit: 's',
      description: 'Duration of a tool call, from asking to the checked answer.',
      advice: { explicitBucketBoundaries: BUCKETS },
    }
    histogram = meter === noop ? undefined : meter.createHistogram(NAME, options)
    return histogram
  }
  return ({ exec, registration }, result) => {
    find()?.record(result.timings.totalMs / 1_000, {
      'gen_ai.tool.name': label(exec.name, registration !== undefined),
      'gen_ai.tool.type': toToolType(registration),
      ...(result.isError ? { 'error.type': result.error.code } : {}),
    })
  }
}
