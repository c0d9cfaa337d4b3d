import { isCaissonError } from '../../errors/caisson-error.ts'
import type { JsonValue } from '../../types/json.ts'
import { toFailedAnswer } from '../capability.ts'
import { notGranted } from '../refusals.ts'
import { codeOf } from './exchange.ts'

/** What goes wrong between here and the host is the tool's to catch, under Node's code for it. */
export async function failing(
  work: () => Promise<JsonValue>,
  settled: AbortSignal,
): Promise<JsonValue> {
  try {
    return await work()
  } catch (error) {
    if (isCaissonError(error)) throw error
    if (settled.aborted) throw notGranted('fetch', 'the call has settled')
    return toFailedAnswer(codeOf(error), 'the request failed')
  }
}
