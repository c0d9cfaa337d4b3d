import type { EngineCounts } from '../types/engine.ts'
import type { MeasuredHost } from './prometheus.ts'
import type { createToolLabels } from './tool-labels.ts'

/** Sums of what hosts count themselves; those of hosts that are gone stay in them. */
export interface KeptCounts {
  /** Those that are followed now. */
  readonly hosts: Iterable<MeasuredHost>
  follow(host: MeasuredHost): () => void
  /** By engine. */
  engines(of: keyof EngineCounts): ReadonlyMap<string, number>
  /** Late requests, by the label of their tool. */
  late(): ReadonlyMap<string, number>
}

/** Creates them; no host is followed yet. */
export function createKeptCounts(label: ReturnType<typeof createToolLabels>): KeptCounts {
  const hosts = new Set<MeasuredHost>()
  /** Of hosts that are gone. */
  const engines = new Map<string, EngineCounts>()
  const late = new Map<string, number>()
  const lateOf = (host: MeasuredHost): [string, number][] =>
    Object.entries(host.metrics()).flatMap(([name, { lateRequests = 0 }]) =>
      lateRequests === 0 ? [] : [[label(name, host.tools.get(name) !== undefined), lateRequests]],
    )
  return {
    hosts,
    follow(host) {
      hosts.add(host)
      return () => {
        if (!hosts.delete(host)) return
        for (const [engine, counts] of Object.entries(host.engineCounts()))
          engines.set(engine, sumOf(engines.get(engine), counts))
        for (const [tool, count] of lateOf(host)) add(late, tool, count)
      }
    },
    engines(of) {
      const sums = new Map([...engines].map(([engine, counts]) => [engine, counts[of]]))
      for (const host of hosts)
        for (const [engine, counts] of Object.entries(host.engineCounts()))
          add(sums, engine, counts[of])
      return sums
    },
    late() {
      const sums = new Map(late)
      for (const host of hosts) for (const [tool, count] of lateOf(host)) add(sums, tool, count)
      return sums
    },
  }
}

function add(sums: Map<string, number>, key: string, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count)
}

function sumOf(before: EngineCounts | undefined, { ...counts }: EngineCounts): EngineCounts {
  if (before === undefined) return counts
  return {
    started: before.started + counts.started,
    kills: before.kills + counts.kills,
    recycles: before.recycles + counts.recycles,
    lost: before.lost + counts.lost,
  }
}
