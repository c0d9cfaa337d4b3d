import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { examine } from '../doctor/doctor.ts'
import { drawProbe, drawReport } from '../doctor/draw-report.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { parseProfile } from '../sandbox/load-profiles.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { Output } from './output.ts'
import { loadConfiguredProfiles } from './profiles.ts'

export interface DoctorOptions {
  /** Name of a profile, or the path of a `.json` file with one. */
  readonly profile?: string
  readonly quick?: boolean
  /** Whose profiles can be named. */
  readonly config?: string
}

const INTERRUPTED = 130

/**
 * `caisson doctor`: fires every limit on this machine. Exits 0 when no promised limit has a hole and
 * the given profile can be kept here, 1 otherwise.
 */
export async function runDoctor(output: Output, options: DoctorOptions): Promise<number> {
  const { profile: named, quick = false } = options
  const profile = named === undefined ? undefined : resolveProfile(named, options.config)
  const progress = !output.json && process.stderr.isTTY
  const interrupt = new AbortController()
  const stop = (): void => interrupt.abort()
  // Not `once`: what cleans up after confined programs ends the process where nobody listens any more.
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const report = await examine({
    ...(profile === undefined ? {} : { profile }),
    quick,
    signal: interrupt.signal,
    told(probe) {
      if (progress) output.note(drawProbe({ ...probe, detail: '' }, output)[0] ?? '')
    },
  })
  process.off('SIGINT', stop)
  process.off('SIGTERM', stop)
  if (interrupt.signal.aborted) return INTERRUPTED
  if (output.json) output.object(report)
  else for (const row of drawReport(report, output)) output.line(row)
  return report.ok ? 0 : 1
}

function resolveProfile(named: string, config: string | undefined): SandboxProfile {
  if (!named.endsWith('.json')) return loadConfiguredProfiles(config).resolve(named)
  return parseProfile(readJson(named), basename(named))
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read'
    throw new CaissonError('CONFIG_INVALID', `profile ${path}: ${why}`, { file: path })
  }
}
