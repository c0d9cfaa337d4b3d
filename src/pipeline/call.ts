import type { Registration } from '../registry/registration.ts'
import type { Scope } from '../registry/scope.ts'
import type { Deadline } from '../signals/deadline.ts'
import type { Interrupt } from '../signals/interrupt.ts'
import type { CallAttempt, Execution } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'
import type { Outcome } from './outcome.ts'

/** One execution on its way through the stages: what is frozen, and what the stages write down. */
export interface Call {
  readonly exec: Execution
  readonly scope: Scope
  /** Pinned at entry. */
  readonly registration: Registration | undefined
  readonly interrupt: Interrupt
  readonly entered: number
  /** Live nested calls; they end with their parent. Few calls have any. */
  children: Set<Call> | undefined
  readonly attempts: CallAttempt[]
  readonly timings: { queueMs: number; prepareMs: number; bodyMs: number }
  /** What results handed to wrappers stand for; few calls have any. */
  minted: WeakMap<object, Outcome> | undefined
  /** The last thing a body ended as; survives wrappers that never return. */
  lastOutcome: Outcome | undefined
  /** Contexts the last attempt's body deferred. */
  bodyContexts: JsonValue[]
  concluded: boolean
  /** Bodies under way; the around stage waits for zero before it gives up on a wrapper. */
  running: number
  /** Who waits for `running` to become zero. */
  readonly quietWaiters: (() => void)[]
  /** Set once around has been left: a late `next()` runs nothing. */
  closed: boolean
  /** Milliseconds a stopped body, and then a wrapper around it, may take to return. */
  readonly graceMs: number
  /** When the running policy phase ends, on the monotonic clock. */
  policyUntil: number
  /** Its deadline; stands still while a hook that is over is being killed. */
  policyClock: Deadline | undefined
  /** Codes of policy that a denial of this call carries as its fact `reasons`. */
  denialCodes: readonly string[] | undefined
  /** A hook said that no further model step follows, whatever the result. */
  endsStep: boolean
}

/** Resolves when no body of the call is under way. */
export function untilQuiet(call: Call): Promise<void> {
  if (call.running === 0) return Promise.resolve()
  return new Promise((resolve) => {
    call.quietWaiters.push(resolve)
  })
}

/** Whether any attempt so far has entered the body. */
export function hasStarted(call: Call): boolean {
  return call.attempts.some(({ started }) => started)
}
