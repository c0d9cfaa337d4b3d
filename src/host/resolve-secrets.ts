import { z } from 'zod'
import type { Secret } from '../broker/secrets/vault.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { parseOriginPattern, type OriginPattern } from '../sandbox/origin-pattern.ts'

/** A secret as the operator gives it: where its value is, and where it may go. */
export interface SecretOptions {
  /** The value itself; or, as `env`, the name of a variable of this process that holds it. */
  readonly value?: string
  readonly env?: string
  /** Origins as in `fetch.allow`; https, but for a loopback address. */
  readonly hosts: readonly string[]
  /** The one header it is put into. Default `authorization`. */
  readonly header?: string
}

/** The secrets of a host; `missing` says why one has no value here. */
export interface ResolvedSecrets {
  readonly present: ReadonlyMap<string, Secret>
  readonly missing: ReadonlyMap<string, string>
}

const MIN_LENGTH = 8
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|\[::1\])$/

/** Of `secrets` in the options of a host; hosts are checked when they are resolved. */
export const secretsSchema: z.ZodType<Readonly<Record<string, SecretSpec>>> = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/, 'letters, digits, dashes, underscores'),
  z
    .strictObject({
      value: z.string().optional(),
      env: z.string().min(1).optional(),
      hosts: z.array(z.string()).min(1),
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]+$/, 'the name of a header')
        .transform((name) => name.toLowerCase())
        .default('authorization'),
    })
    .refine(({ value, env }) => (value === undefined) !== (env === undefined), {
      message: 'either value or env',
    }),
)

export interface SecretSpec {
  readonly value?: string | undefined
  readonly env?: string | undefined
  readonly hosts: readonly string[]
  readonly header: string
}

/** Finds the values. Throws `CONFIG_INVALID` for a value or host that cannot be kept secret. */
export function resolveSecrets(
  given: Readonly<Record<string, SecretSpec>>,
  environment: Readonly<Record<string, string | undefined>>,
  /** Where a secret is said, for errors. */
  placeOf: (name: string) => string,
): ResolvedSecrets {
  const present = new Map<string, Secret>()
  const missing = new Map<string, string>()
  for (const [name, { value, env = '', hosts, header }] of Object.entries(given)) {
    const place: Place = { name, label: placeOf(name) }
    const bound = hosts.map((host) => parseBoundHost(place, host))
    const found = value ?? environment[env]
    if (found === undefined) missing.set(name, `the variable ${env} is not set`)
    else present.set(name, { value: checkValue(place, found), hosts: bound, header })
  }
  return { present, missing }
}

interface Place {
  readonly name: string
  readonly label: string
}

function checkValue(place: Place, value: string): string {
  // What is shorter could not be told from ordinary text when it is searched for.
  if (value.length < MIN_LENGTH) throw invalid(place, `it has fewer than ${MIN_LENGTH} characters`)
  if (/[^\x20-\x7e\x80-\xff]/.test(value) || value.trim() !== value)
    throw invalid(place, 'it has a character that no header can hold, or space around it')
  return value
}

function parseBoundHost(place: Place, host: string): OriginPattern {
  try {
    const pattern = parseOriginPattern(host)
    if (pattern.protocol === 'https:' || LOOPBACK.test(pattern.host)) return pattern
    throw invalid(place, `'${host}' would send it unencrypted`)
  } catch (error) {
    if (isCaissonError(error) && error.facts['secret'] === undefined)
      throw invalid(place, error.message)
    throw error
  }
}

function invalid({ name, label }: Place, why: string): CaissonError {
  const text = `${label}: secrets.${name}: ${why}`
  return new CaissonError('CONFIG_INVALID', text, { secret: name })
}
