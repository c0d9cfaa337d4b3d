import { CaissonError } from '../errors/caisson-error.ts'
import type { ToolDescriptor } from '../policies/auto-approval/assessor-types.ts'
import { parseToolDescriptor } from '../policies/auto-approval/config/descriptor.ts'
import type { OperatorSettings } from '../registry/registration.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { LoadOptions } from './load.ts'
import type { ResolvedSecrets } from './resolve-secrets.ts'

/** What a profile and an operator's options settle for every tool of a source. */
export function toOperator(
  profile: SandboxProfile,
  options: LoadOptions,
  {
    packageRoot,
    source,
    tool = '',
  }: {
    readonly packageRoot: string | undefined
    readonly source: string
    readonly tool?: string
  },
): OperatorSettings {
  const policy = Object.hasOwn(options.policy ?? {}, tool) ? options.policy?.[tool] : undefined
  const own = Object.hasOwn(options.tools ?? {}, tool) ? (options.tools?.[tool] ?? {}) : {}
  const timeoutMs = own.timeoutMs ?? options.timeoutMs
  const retry = own.retry ?? options.retry
  const idempotent = own.idempotent ?? options.idempotent
  const { fetch, fs, kv, secrets, limits } = profile
  return {
    profile: profile.name,
    maxTimeoutMs: profile.limits.timeoutMs,
    graceMs: profile.limits.graceMs,
    logBytes: limits.logBytes,
    ...(profile.confinement === 'none' ? { confinement: 'none' as const } : {}),
    grants: {
      source,
      ...(packageRoot === undefined ? {} : { packageRoot }),
      secrets,
      calls: limits.capabilityCalls,
      ...(fetch === undefined ? {} : { fetch }),
      ...(fs === undefined ? {} : { fs }),
      ...(kv === undefined ? {} : { kv }),
    },
    profileRetry: profile.retry,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(policy === undefined ? {} : { policy: checkDescriptor(policy, tool) }),
  }
}

/** The tools of a source that are wanted. Throws `LOAD_FAILED` for one that is named and not there. */
export function chooseTools<T extends { readonly name: string }>(
  tools: readonly T[],
  { tools: settings = {}, only }: LoadOptions,
): readonly T[] {
  const names = tools.map(({ name }) => name)
  const missing = [...Object.keys(settings), ...(only ?? [])].find((name) => !names.includes(name))
  if (missing !== undefined) {
    const text = `settings for a tool '${missing}' that is not there; there are: ${names.join(', ')}`
    throw new CaissonError('LOAD_FAILED', text, { violations: [text] })
  }
  return tools.filter(
    ({ name }) =>
      (only === undefined || only.includes(name)) &&
      !(Object.hasOwn(settings, name) && settings[name]?.enabled === false),
  )
}

function checkDescriptor(given: ToolDescriptor, tool: string): ToolDescriptor {
  const { policy, violations } = parseToolDescriptor(given)
  if (policy !== undefined) return policy
  throw new CaissonError('CONFIG_INVALID', `load(), policy of '${tool}': ${violations.join('; ')}`)
}

/** Throws `CONFIG_INVALID` when the host lacks a secret that the profile names. */
export function checkSecrets({ name, secrets }: SandboxProfile, known: ResolvedSecrets): void {
  for (const [variable, secret] of Object.entries(secrets)) {
    if (known.present.has(secret)) continue
    const why = known.missing.get(secret) ?? 'the host has no secret of that name'
    const text = `profile '${name}': env.${variable}: secret '${secret}': ${why}`
    throw new CaissonError('CONFIG_INVALID', text, { profile: name, secret })
  }
}
