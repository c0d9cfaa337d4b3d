import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { CaissonError } from '../errors/caisson-error.ts'
import { findProtoKey } from '../json/proto-key.ts'
import type { SandboxProfile } from '../types/profile.ts'
import { profileSchema } from './profile-schema.ts'
import { readRegularFile } from './read-regular-file.ts'

/** The profiles an operator can choose from, by name. */
export interface Profiles {
  readonly list: readonly SandboxProfile[]
  /** Throws `CONFIG_INVALID` listing the known names. */
  resolve(name: string): SandboxProfile
}

const GRACE_MS = { isolate: 50, thread: 50, process: 2_000 } as const
const UP = import.meta.url.endsWith('.ts') ? '../../' : '../../../'
const SHIPPED = fileURLToPath(new URL(`${UP}sandbox-profiles/`, import.meta.url))

/** Reads the shipped profiles and then those of `folders`; a later one of the same name wins. */
export function loadProfiles(
  folders: readonly string[] = [],
  extra: readonly unknown[] = [],
): Profiles {
  const found = new Map<string, SandboxProfile>()
  for (const folder of [SHIPPED, ...folders]) {
    for (const file of listJson(folder)) {
      const profile = parseProfile(readJson(join(folder, file), file), file)
      found.set(profile.name, profile)
    }
  }
  for (const value of extra) {
    const profile = parseProfile(value, 'profiles')
    found.set(profile.name, profile)
  }
  return {
    list: [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name)),
    resolve(name) {
      const profile = found.get(name)
      if (profile !== undefined) return profile
      const known = [...found.keys()].toSorted().join(', ')
      throw new CaissonError('CONFIG_INVALID', `there is no profile '${name}'; known: ${known}`, {
        profile: name,
      })
    },
  }
}

/** Checks one profile. Throws `CONFIG_INVALID` naming every key that is wrong. */
export function parseProfile(value: unknown, where: string): SandboxProfile {
  const lost = findProtoKey(value)
  if (lost !== undefined) {
    throw new CaissonError('CONFIG_INVALID', `profile ${where}: ${lost}: unknown key`, { where })
  }
  const parsed = profileSchema.safeParse(value)
  if (!parsed.success) {
    throw new CaissonError('CONFIG_INVALID', `profile ${where}: ${toLine(parsed.error)}`, { where })
  }
  const { $schema: _schema, ...rest } = parsed.data
  const { limits, fetch, fs, kv, env, ...others } = rest
  const { confinement, kernelLimits, process, jit, isolation, ...fixed } = others
  const { cpuMs, graceMs = GRACE_MS[fixed.engine], ...given } = limits
  return {
    ...fixed,
    ...splitEnv(env),
    limits: { ...given, graceMs, ...(cpuMs === undefined ? {} : { cpuMs }) },
    ...(fetch === undefined ? {} : { fetch }),
    ...(fs === undefined ? {} : { fs }),
    ...(kv === undefined ? {} : { kv }),
    ...(fixed.engine === 'isolate'
      ? {
          confinement: confinement ?? 'preferred',
          kernelLimits: kernelLimits ?? 'preferred',
          jit: jit ?? true,
          isolation: isolation ?? 'strict',
        }
      : {}),
    ...(fixed.engine === 'process'
      ? {
          confinement: confinement === 'none' ? 'none' : 'required',
          kernelLimits: kernelLimits ?? 'preferred',
          process: process ?? { network: 'none', pids: 32, tmpfsMb: 64 },
        }
      : {}),
  }
}

type Env = Readonly<Record<string, string | { readonly secret: string }>>

function splitEnv(env: Env): Pick<SandboxProfile, 'env' | 'secrets'> {
  const entries = Object.entries(env)
  return {
    env: Object.fromEntries(
      entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
    secrets: Object.fromEntries(
      entries.flatMap(([name, value]) => (typeof value === 'string' ? [] : [[name, value.secret]])),
    ),
  }
}

function toLine(error: z.ZodError): string {
  return error.issues
    .map((issue) =>
      issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message,
    )
    .join('; ')
}

function listJson(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'schema.json')
  } catch {
    throw new CaissonError('CONFIG_INVALID', `the profile folder ${folder} cannot be read`, {
      folder,
    })
  }
}

const MAX_PROFILE_BYTES = 1024 * 1024

function readJson(path: string, file: string): unknown {
  try {
    const bytes = readRegularFile(path, MAX_PROFILE_BYTES + 1)
    if (bytes.length > MAX_PROFILE_BYTES) throw new Error('it is larger than 1 MB')
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable'
    throw new CaissonError('CONFIG_INVALID', `profile ${file}: ${why}`, { file })
  }
}
