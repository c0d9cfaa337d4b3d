import { BUILTIN_SOURCE } from '../builtin/pack.ts'
import type { Registration } from '../registry/registration.ts'

/** What a tool can do at most, by what it was granted; never by what it says of itself. */
export interface ToolHints {
  /** It changes nothing outside of its own call. */
  readonly readOnly: boolean
  /** It reaches places beyond this machine, or nobody can say that it does not. */
  readonly openWorld: boolean
}

const READING: ReadonlySet<string> = new Set(['read', 'list', 'search'])
const CLOSED: ReadonlySet<string> = new Set([
  ...READING,
  'write',
  'edit',
  'apply_patch',
  'todo_write',
])

/** The hints of a registered tool. */
export function toHints({ name, body, operator, format }: Registration): ToolHints {
  if (format === BUILTIN_SOURCE && CLOSED.has(name)) {
    return { readOnly: READING.has(name), openWorld: false }
  }
  const { grants } = operator
  if (body.engine === 'inline' || body.engine === 'thread' || grants === undefined) {
    return { readOnly: false, openWorld: true }
  }
  const { fetch, fs, kv } = grants
  const isOpen = operator.confinement === 'none'
  const sends = fetch?.methods.some((method) => method !== 'GET' && method !== 'HEAD') === true
  const writes = (fs?.write.length ?? 0) > 0 || kv !== undefined || sends
  return { readOnly: !isOpen && !writes, openWorld: isOpen || (fetch?.allow.length ?? 0) > 0 }
}
