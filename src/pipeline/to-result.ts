import { toFailure, type CaissonError } from '../errors/caisson-error.ts'
import { freezeDeep } from '../json/freeze.ts'
import type { CallResult } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'
import type { Call } from './call.ts'
import { textBlock, type Outcome } from './outcome.ts'

/** A frozen result object for `outcome` as it stands now. */
export function toResult(call: Call, outcome: Outcome): CallResult {
  const { attempts, timings } = call
  const confinement = call.registration?.operator.confinement
  const shared = {
    content: outcome.content,
    ...(outcome.meta === undefined ? {} : { meta: outcome.meta }),
    attempts: Object.freeze([...attempts]),
    timings: Object.freeze({ ...timings, totalMs: performance.now() - call.entered }),
    ...(outcome.contexts.length === 0 ? {} : { additionalContexts: freezeList(outcome.contexts) }),
    ...(confinement === undefined ? {} : { confinement }),
  }
  const result: CallResult =
    outcome.kind === 'success'
      ? {
          isError: false,
          value: outcome.value,
          ...shared,
          ...(outcome.concludes ? { concludesTurn: true } : {}),
        }
      : { isError: true, error: freezeDeep(outcome.failure), ...shared }
  Object.freeze(result.content)
  return Object.freeze(result)
}

function freezeList(list: readonly JsonValue[]): readonly JsonValue[] {
  return Object.freeze([...list])
}

/** The result of a call that arrived after its host was closed or its agent disposed. */
export function toClosedResult(error: CaissonError): CallResult {
  return freezeDeep<CallResult>({
    isError: true,
    error: toFailure(error),
    content: [textBlock(`Error: ${error.message}`)],
    attempts: [],
    timings: { queueMs: 0, prepareMs: 0, bodyMs: 0, totalMs: 0 },
  })
}
