import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { SandboxProfile } from '../../types/profile.ts'
import type { BundledSource } from '../../types/source.ts'
import type { RealmLimits } from '../../../workers/isolate/protocol.ts'
import { toRealmLimits } from '../shared/request.ts'
import type { OpenRequest } from './open-worker.ts'

/** A source under a profile: calls of one domain may share workers, and with them module state. */
export interface Domain {
  readonly key: string
  readonly memoryMb: number
  readonly limits: RealmLimits
  readonly open: OpenRequest
  /** Its workers are not kept any longer. */
  disposed: boolean
}

/** What a message may hold besides the value: two projections of 256 KiB and what is around them. */
const ENVELOPE_BYTES = 576 * 1024

export function createDomain(
  source: BundledSource,
  profile: SandboxProfile,
  loadTimeoutMs: number,
): Domain {
  const { code, entry, config } = source
  const identity = JSON.stringify([entry, code, config ?? null, profile])
  return {
    key: createHash('sha256').update(identity).digest('hex'),
    memoryMb: profile.limits.memoryMb,
    limits: toRealmLimits(profile),
    open: {
      boot: {
        code,
        entry,
        schemastery: createRequire(import.meta.url).resolve('@deepseek-ai/schemastery'),
        env: profile.env,
        ...(config === undefined ? {} : { config }),
      },
      messageBytes: profile.limits.outputBytes + ENVELOPE_BYTES,
      timeoutMs: loadTimeoutMs,
    },
    disposed: false,
  }
}
