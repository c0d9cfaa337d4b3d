import { DEFAULT_JSON_LIMITS } from '../../json/limits.ts'
import type { BodyJob } from '../../types/engine.ts'
import type { SandboxProfile } from '../../types/profile.ts'
import type {
  AbortReason,
  RealmExec,
  RealmLimits,
  RealmRequest,
} from '../../../workers/isolate/protocol.ts'

/** The request that runs a body: what of its call is plain data. */
export function toExecuteRequest(
  { tool, limits }: { readonly tool: string; readonly limits: RealmLimits },
  { exec, wantsMeta }: BodyJob,
): RealmRequest {
  const { callId, rootCallId, name, agent } = exec
  const given: RealmExec = {
    callId,
    rootCallId,
    name,
    ...(agent === undefined ? {} : { agent: { id: agent.id, sessionId: agent.id } }),
  }
  return { op: 'execute', tool, args: exec.arguments, exec: given, wantsMeta, limits }
}

/** What a frame may hold besides a value or request: two projections of 256 KiB and what is around them. */
export const ENVELOPE_BYTES: number = 576 * 1024

/** What a request to the host may hold besides the one body or file in it. */
const REQUEST_BYTES = 256 * 1024

/** The limits a body keeps by itself; the host enforces each of them again. */
export function toRealmLimits({ limits, fetch, fs, kv, toolCalls }: SandboxProfile): RealmLimits {
  const written = fs === undefined || fs.write.length === 0 ? 0 : fs.maxBytes
  const largest = Math.max(fetch?.maxBytes ?? 0, written, kv?.quotaBytes ?? 0)
  return {
    ...DEFAULT_JSON_LIMITS,
    outputBytes: limits.outputBytes,
    logBytes: limits.logBytes,
    // Bytes travel as base64.
    requestBytes:
      toolCalls === true ? DEFAULT_JSON_LIMITS.bytes : Math.ceil((largest * 4) / 3) + REQUEST_BYTES,
    ...(toolCalls === true ? { toolCalls } : {}),
    ...(kv === undefined ? {} : { kvBytes: kv.quotaBytes }),
    messages: limits.capabilityCalls,
  }
}

/** Why a signal was aborted, as data; an error is rebuilt from it where the tool runs. */
export function toAbortReason(reason: unknown): AbortReason {
  if (!(reason instanceof Error)) return { name: 'AbortError', message: 'the call was aborted' }
  const code: unknown = Reflect.get(reason, 'code')
  return {
    name: reason.name,
    message: reason.message,
    ...(typeof code === 'string' ? { code } : {}),
  }
}
