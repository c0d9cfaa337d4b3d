import { createRequire } from 'node:module'
import { availableParallelism, release, type } from 'node:os'
import type { SandboxProfile } from '../types/profile.ts'
import type {
  DoctorReport,
  EngineReport,
  ProbeEngine,
  ProbeReport,
  ProfileReport,
} from './types.ts'

/** Every part that is probed, in the order in which it is shown. */
export const PROBE_ENGINES: readonly ProbeEngine[] = [
  'host',
  'isolate',
  'thread',
  'process',
  'brokers',
  'queue',
]
/** Id of the probe that tells whether programs can be confined here at all. */
export const CONFINER_PROBE = 'process/confiner'
/** Id of the probe that tells whether a cgroup holds them. */
export const CGROUP_PROBE = 'process/cgroup'

/** Id of the probe that tells whether runners are confined here. */
export const RUNNER_WALLS_PROBE = 'isolate/runner-walls'
/** Id of the probe that tells whether V8 can be kept from compiling. */
export const JITLESS_PROBE = 'isolate/jitless'

/** Without these nothing of an engine is there, whatever else was seen to work. */
const NEEDED: Partial<Record<ProbeEngine, readonly string[]>> = {
  process: [CONFINER_PROBE, 'process/sync-loop'],
}
const SHOWN_HOLES = 3

/** The version of the isolate library that is installed. */
export function addonVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('isolated-vm/package.json')
  return String(Reflect.get(Object(manifest), 'version'))
}

/** What the probes mean together: for each engine, and for a profile. */
export function toReport(
  probes: readonly ProbeReport[],
  spec: { readonly ms: number; readonly leftOut: number; readonly profile?: SandboxProfile },
): DoctorReport {
  const engines = Object.fromEntries(
    PROBE_ENGINES.map((engine) => [engine, judgeEngine(probes, engine)]),
  ) as Record<ProbeEngine, EngineReport>
  const profile = spec.profile === undefined ? undefined : judgeProfile(spec.profile, probes)
  const holes = probes.some(({ status }) => status === 'hole')
  return {
    node: process.versions.node,
    addon: addonVersion(),
    kernel: `${type()} ${release()}`,
    cores: availableParallelism(),
    ms: Math.round(spec.ms),
    leftOut: spec.leftOut,
    probes,
    engines,
    ...(profile === undefined ? {} : { profile }),
    ok: !holes && profile?.ok !== false,
  }
}

/** Whether what a profile asks for is kept here, going by what the probes saw. */
export function judgeProfile(
  profile: SandboxProfile,
  probes: readonly ProbeReport[],
): ProfileReport {
  const { name, engine, fetch, fs, kv, confinement, kernelLimits, jit } = profile
  const needed: ProbeEngine[] = ['host', 'queue', engine]
  const unconfined = engine === 'process' && confinement === 'none'
  if (fetch !== undefined || kv !== undefined || (fs !== undefined && engine === 'isolate')) {
    needed.push('brokers')
  }
  const reasons = unconfined
    ? ['its programs run as the user of the host, so that nothing of this can be kept']
    : needed.flatMap((part) => reasonsOf(part, probes))
  const demands: readonly [boolean, string, string][] = [
    [kernelLimits === 'required', 'kernelLimits: required', CGROUP_PROBE],
    [
      engine === 'isolate' && confinement === 'required',
      'confinement: required',
      RUNNER_WALLS_PROBE,
    ],
    [jit === false, 'jit: false', JITLESS_PROBE],
  ]
  for (const [asked, demand, id] of demands) {
    const found = probes.find((probe) => probe.id === id)
    if (!asked || found?.status === 'holds') continue
    reasons.push(`${demand}, but ${found?.detail ?? 'nothing of it was seen to work'}`)
  }
  return { name, ok: reasons.length === 0, reasons }
}

function judgeEngine(probes: readonly ProbeReport[], engine: ProbeEngine): EngineReport {
  const own = probes.filter((probe) => probe.engine === engine)
  const holes = own.filter(({ status }) => status === 'hole').map(({ id }) => id)
  return { ok: holes.length === 0 && own.some(({ status }) => status === 'holds'), holes }
}

function reasonsOf(part: ProbeEngine, probes: readonly ProbeReport[]): string[] {
  const own = probes.filter(({ engine }) => engine === part)
  const holes = own.filter(({ status }) => status === 'hole')
  if (holes.length > 0) {
    const shown = holes.slice(0, SHOWN_HOLES).map(({ id, detail }) => `${id}: ${detail}`)
    const more = holes.length - shown.length
    return more > 0 ? [...shown, `and ${more} more holes of ${part}`] : shown
  }
  for (const needed of NEEDED[part] ?? []) {
    const found = own.find(({ id }) => id === needed)
    if (found?.status !== 'holds')
      return [`${part} is not available here: ${found?.detail ?? 'it was not tried'}`]
  }
  if (own.some(({ status }) => status === 'holds')) return []
  const [first] = own
  return [`nothing of ${part} was seen to work${first === undefined ? '' : `: ${first.detail}`}`]
}
