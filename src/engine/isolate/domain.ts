import { createHash } from 'node:crypto'
import type { CallState, SandboxProfile } from '../../types/profile.ts'
import type { BundledSource } from '../../types/source.ts'
import type { HostMessage, RealmLimits } from '../../../workers/isolate/protocol.ts'
import type { KnownSchemas } from '../../../workers/shared/known-schemas.ts'
import { SCOPE_NAMES } from '../../../workers/realm/frozen/scope-names.ts'
import { toRealmLimits } from '../shared/request.ts'
import type { StandInTurn } from './seat.ts'
import { createStandIns, type StandInEnv, type StandIns } from './stand-ins.ts'

/** Everything that identifies and bounds one trust domain: bundle, profile, and what calls share. */
export interface Domain {
  readonly key: string
  readonly source: BundledSource
  readonly profile: SandboxProfile
  readonly state: CallState
  readonly limits: RealmLimits
  /** What the source was described with; unset before that. */
  schemas: KnownSchemas | undefined
  /** Undefined for a profile without secrets. */
  readonly standIns: StandIns | undefined
}

/** The domain of a source under a profile, in a state that may be another than the profile's. */
export function createDomain(
  source: BundledSource,
  profile: SandboxProfile,
  state: CallState,
): Domain {
  const variables = Object.keys(profile.secrets)
  const hash = createHash('sha256')
    .update(source.code)
    .update(JSON.stringify(source.config ?? null))
    .update(JSON.stringify({ ...profile, state }))
  return {
    key: hash.digest('hex'),
    source,
    profile,
    state,
    limits: toRealmLimits(profile),
    schemas: undefined,
    standIns:
      variables.length === 0 ? undefined : createStandIns(variables, { kept: state === 'sticky' }),
  }
}

/** A domain of its own for one holder of it. */
export function partOf(domain: Domain, holder: string): Domain {
  return { ...domain, key: `${domain.key}/${holder}` }
}

/** What a context sees of secrets, and the environment of the next. */
export function toTurn(
  { profile }: Domain,
  { now, next }: ReturnType<StandIns['turn']>,
): StandInTurn {
  return { now, env: { ...profile.env, ...next } }
}

/** What makes a blank runner one of the domain. */
export function openMessage(
  { source, profile, state, schemas }: Domain,
  realm: string,
  standIns: StandInEnv | undefined,
): HostMessage {
  const { config, code } = source
  const names = state === 'frozen' ? mentioned(code) : undefined
  return {
    t: 'open',
    realm,
    bundle:
      names === undefined ? `__caisson_define(${code}\n);0` : `(${names.join()})=>(${code}\n)`,
    memoryMb: profile.limits.memoryMb,
    state,
    ...(names === undefined ? {} : { names }),
    boot: {
      source: source.source,
      env: { ...profile.env, ...standIns },
      ...(schemas === undefined ? {} : { schemas }),
      ...(config === undefined ? {} : { config }),
    },
  }
}

// What a bundle does not name costs its calls nothing.
function mentioned(code: string): readonly string[] {
  if (/\beval\b/.test(code)) return SCOPE_NAMES
  return SCOPE_NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(code))
}
