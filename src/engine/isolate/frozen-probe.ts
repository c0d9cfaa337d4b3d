import { isDeepStrictEqual } from 'node:util'
import { isCaissonError } from '../../errors/caisson-error.ts'
import { describeInRunner, type Description } from './describe.ts'
import type { RunnerSeat } from './seat.ts'

const MAX_REASON = 256

/**
 * Why a source cannot be run in the frozen state: it does not load there, does not describe itself as
 * it does in a fresh context, or writes to what would be shared. Undefined when it can.
 */
export async function findFrozenFault(
  fresh: Description,
  seat: RunnerSeat,
  timeoutMs: number,
): Promise<string | undefined> {
  try {
    const { format, manifests, wrote } = await describeInRunner(seat, timeoutMs)
    if (wrote.length > 0) return toReason(`it sets global names: ${wrote.join(', ')}`)
    const same = isDeepStrictEqual([format, manifests], [fresh.format, fresh.manifests])
    return same ? undefined : 'it describes its tools differently there'
  } catch (error) {
    if (!isCaissonError(error) || error.code !== 'LOAD_FAILED') throw error
    return toReason(error.message)
  }
}

// The texts are the author's.
function toReason(text: string): string {
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ')
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line
}
