import { loadAsset } from '../engine/shared/load-asset.ts'
import { createBundler } from '../loader/bundler-client.ts'
import type { SandboxProfile } from '../types/profile.ts'
import { createBench } from './bench.ts'
import { brokerProbes, createBrokerBench, type BrokerBench } from './broker-probes.ts'
import { cgroupProbe } from './cgroup-probe.ts'
import { createChildHost } from './child-host.ts'
import { createProbeConfiner } from './confined-run.ts'
import { hostProbes, inChild } from './host-probes.ts'
import { isolateProbes } from './isolate-probes.ts'
import { isolateBenchSpec } from './isolate-tools.ts'
import { createProgramBench, programProbes } from './program-probes.ts'
import { createQueueBench, queueProbes } from './queue-probes.ts'
import { toReport } from './report.ts'
import { runnerProbes } from './runner-probes.ts'
import { runnerWallProbes } from './runner-wall-probes.ts'
import { runProbes } from './run-probes.ts'
import { createThreadBench, threadProbes } from './thread-probes.ts'
import { wallProbes } from './wall-probes.ts'
import type { DoctorReport, Probe, ProbeReport } from './types.ts'

export interface DoctorSpec {
  /** Judged by what the probes see. */
  readonly profile?: SandboxProfile
  /** Leaves out the probes that take seconds. */
  readonly quick?: boolean
  /** Told of every probe as soon as it has ended. */
  readonly told?: (report: ProbeReport) => void
  /** Ends it early; what it says then is of what was seen so far. */
  readonly signal?: AbortSignal
}

const BUNDLE_MS = 10_000
const BUNDLER_IDLE_MS = 5_000

/**
 * Fires every limit on this machine and says which ones held. Never rejects because of one; all it
 * started is gone when it resolves.
 */
export async function examine(spec: DoctorSpec = {}): Promise<DoctorReport> {
  const begun = performance.now()
  await using stack = new AsyncDisposableStack()
  const isolates = stack.use(createBench(isolateBenchSpec()))
  const queue = stack.use(createQueueBench())
  const child = stack.use(createChildHost())
  const programs = stack.use(createProgramBench())
  const brokers = openOnce(stack)
  const bundler = createBundler({ timeoutMs: BUNDLE_MS, idleMs: BUNDLER_IDLE_MS })
  stack.defer(() => bundler.close())
  const runnerCode = (): Promise<string> => loadAsset('isolate/runner', bundler.bundleAsset)
  // They run in the child; the bench here is only what their list is made of.
  const threads = threadProbes(createThreadBench())
  const groups: Probe[][] = [
    [...runnerProbes(isolates, runnerCode), ...runnerWallProbes(), ...isolateProbes(isolates)],
    [
      ...wallProbes(createProbeConfiner()),
      cgroupProbe(),
      ...programProbes(programs),
      ...queueProbes(queue),
      ...brokerProbes(brokers),
      ...inChild(child, threads),
      ...hostProbes(child),
    ],
  ]
  const chosen = groups.map((group) => group.filter(({ slow }) => !(spec.quick && slow)))
  const leftOut = groups.flat().length - chosen.flat().length
  const probes = await runProbes(chosen, { told: spec.told, signal: spec.signal })
  const { profile } = spec
  const ms = performance.now() - begun
  return toReport(probes, { ms, leftOut, ...(profile === undefined ? {} : { profile }) })
}

/** Opened by the first probe that needs it. */
function openOnce(stack: AsyncDisposableStack): () => Promise<BrokerBench> {
  let opened: Promise<BrokerBench> | undefined
  return () => (opened ??= createBrokerBench().then((bench) => stack.use(bench)))
}
