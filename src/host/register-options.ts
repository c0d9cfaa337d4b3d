import { CaissonError } from '../errors/caisson-error.ts'
import type { ToolDescriptor } from '../policies/auto-approval/assessor-types.ts'
import { parseToolDescriptor } from '../policies/auto-approval/config/descriptor.ts'
import { isTimeout } from '../registry/parse-definition.ts'
import { parseRetry } from '../registry/retry-settings.ts'
import type { RetrySettings } from '../types/tool.ts'

/** What an operator may fix for one inline tool. */
export interface RegisterOptions {
  readonly timeoutMs?: number
  readonly retry?: RetrySettings
  readonly idempotent?: boolean
  /** `false` leaves every argument check to the body. */
  readonly validateArguments?: boolean
  /** How approval classifies the tool; without it nobody has. */
  readonly policy?: ToolDescriptor
}

const KEYS = ['timeoutMs', 'retry', 'idempotent', 'validateArguments', 'policy']

/** Copies an operator's options; throws `CONFIG_INVALID` naming everything that is wrong. */
export function parseRegisterOptions(options: unknown): RegisterOptions {
  if (typeof options !== 'object' || options === null) throw invalid(['they must be an object'])
  const { timeoutMs, retry, idempotent, validateArguments, policy } = options as Record<
    string,
    unknown
  >
  const parsedRetry = parseRetry(retry, 'retry')
  const parsedPolicy = parseToolDescriptor(policy)
  const violations = [...parsedRetry.violations, ...parsedPolicy.violations]
  if (timeoutMs !== undefined && !isTimeout(timeoutMs)) {
    violations.push('timeoutMs must be a number above 0 and at most 2147483647')
  }
  const flag = (value: unknown, key: string): value is boolean => {
    if (value !== undefined && typeof value !== 'boolean')
      violations.push(`${key} must be a boolean`)
    return typeof value === 'boolean'
  }
  const flags = {
    ...(flag(idempotent, 'idempotent') ? { idempotent } : {}),
    ...(flag(validateArguments, 'validateArguments') ? { validateArguments } : {}),
  }
  for (const key of Object.keys(options)) {
    if (!KEYS.includes(key)) violations.push(`${key} is unknown`)
  }
  if (violations.length > 0) throw invalid(violations)
  return {
    ...flags,
    ...(isTimeout(timeoutMs) ? { timeoutMs } : {}),
    ...(parsedRetry.settings === undefined ? {} : { retry: parsedRetry.settings }),
    ...(parsedPolicy.policy === undefined ? {} : { policy: parsedPolicy.policy }),
  }
}

function invalid(violations: readonly string[]): CaissonError {
  return new CaissonError('CONFIG_INVALID', `register(), options: ${violations.join('; ')}`, {
    violations: [...violations],
  })
}
