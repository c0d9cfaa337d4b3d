import type { CaissonError } from '../errors/caisson-error.ts'
import type { Approvals } from '../approval/service.ts'
import type { AgentRef, CallInput, CallResult } from '../types/call.ts'
import type { Soon } from '../types/soon.ts'
import { runApproval } from './approve.ts'
import { runAround, type AroundHost } from './around.ts'
import type { Call } from './call.ts'
import { runFinalize } from './finalize.ts'
import { runGuards } from './guard.ts'
import { interruptedFailure } from './interrupted.ts'
import { materializeCall, readInput, type ReadInput } from './materialize-call.ts'
import { failWith, type Outcome } from './outcome.ts'
import { runPostExecute } from './post-execute.ts'
import { runPreExecute, type Admission } from './pre-execute.ts'
import { notifyObservers } from './publish.ts'
import { CODE_TOOL, presentationOf } from '../registry/presentation.ts'
import type { Scope } from '../registry/scope.ts'
import { toClosedResult, toResult } from './to-result.ts'

/** What the pipeline needs of the host that runs it. */
export interface PipelineHost extends AroundHost {
  readonly policyTimeoutMs: number
  readonly approvals: Approvals
  scopeOf(input: ReadInput): Scope
  /** Why nothing runs any more for this agent, or at all; such a call has a result and no stages. */
  closedFor(input: ReadInput): CaissonError | undefined
  /** Checks the parent token and makes the call visible to nested calls, closing and disposal. */
  enter(call: Call): void
  leave(call: Call): void
  /** Records `tool/call`, from the frozen copy, before anything else of the call happens. */
  begin(call: Call): void | Promise<void>
  /** Told of the result once nothing changes it any more; absent where nobody follows calls. */
  readonly settled?: (call: Call, result: CallResult) => void
  /** Records `tool/result`. */
  commit(call: Call, result: CallResult): void | Promise<void>
  diagnose(text: string): void
  /** The last step before delivery: what policy takes out of an outcome. Undefined for nothing. */
  redact?: ((call: Call, outcome: Outcome) => Promise<Outcome>) | undefined
}

/** A call that policy has decided about and whose body has not begun. */
export interface Admitted {
  readonly call: Call
  /** Set when the call ends without a body. */
  readonly refused: Outcome | undefined
  /** False for a call that ended before any policy: post-execute does not see it. */
  readonly reachesPost: boolean
  /** Refused because the agent's tools are shown as code: the tool itself hears nothing of it. */
  readonly isCollapsed?: true
}

/**
 * Runs one call through every stage, in this order and no other. Resolves to its frozen result;
 * rejects only for a call whose identity is broken (`PROTOCOL_ERROR`), or that cannot be recorded.
 */
export async function runCall(
  input: CallInput,
  host: PipelineHost,
  /** Whose call it is, whatever the input says. */
  agent?: AgentRef,
): Promise<CallResult> {
  const read = readInput(input, agent)
  const closed = host.closedFor(read)
  if (closed !== undefined) return toClosedResult(closed)
  const admitted = await admitCall(read, host)
  const outcome = await runBody(admitted, host)
  return await commitCall(admitted, outcome, host)
}

/** From the record of the call to the decision whether its body may run. */
export async function admitCall(input: ReadInput, host: PipelineHost): Promise<Admitted> {
  const { call, failure } = materializeCall(input, host.scopeOf(input))
  host.enter(call)
  try {
    const begun = host.begin(call)
    if (begun instanceof Promise) await begun
    if (failure !== undefined) return { call, refused: failure, reachesPost: false }
    if (call.interrupt.code !== undefined) {
      return { call, refused: interruptedFailure(call.interrupt, 'before'), reachesPost: false }
    }
    const collapsed = collapse(call)
    if (collapsed !== undefined) {
      return { call, refused: collapsed, reachesPost: false, isCollapsed: true }
    }
    const decided = decide(call, host)
    const refused = decided instanceof Promise ? await decided : decided
    return { call, refused: withCodes(call, refused), reachesPost: true }
  } catch (error) {
    host.leave(call)
    throw error
  }
}

/** The body with everything around it, unless policy refused it. */
export async function runBody(admitted: Admitted, host: PipelineHost): Promise<Outcome> {
  try {
    return admitted.refused ?? (await runAround(admitted.call, host))
  } catch (error) {
    host.leave(admitted.call)
    throw error
  }
}

/** The stages after the body. */
export async function commitCall(
  { call, reachesPost, isCollapsed }: Admitted,
  outcome: Outcome,
  host: PipelineHost,
): Promise<CallResult> {
  try {
    const post = reachesPost ? runPostExecute(call, outcome, host.policyTimeoutMs) : outcome
    const decided = post instanceof Promise ? await post : post
    const last = isCollapsed === true ? decided : runFinalize(call, decided, host.diagnose)
    const finalized = last instanceof Promise ? await last : last
    const final = host.redact === undefined ? finalized : await host.redact(call, finalized)
    const result = toResult(call, final)
    notifyObservers(call, result, host.diagnose)
    host.settled?.(call, result)
    const committed = host.commit(call, result)
    if (committed instanceof Promise) await committed
    return result
  } finally {
    host.leave(call)
  }
}

/** Where tools are shown as code, a model calls one of them only from a program. */
function collapse({ exec, scope }: Call): Outcome | undefined {
  if (exec.parent !== undefined || exec.name === CODE_TOOL) return undefined
  if (presentationOf(scope) !== 'code') return undefined
  const text = `there is no tool named '${exec.name}' to call directly; call tools from a program: ${CODE_TOOL}`
  return failWith('UNKNOWN_TOOL', text)
}

function withCodes(call: Call, refused: Outcome | undefined): Outcome | undefined {
  const { denialCodes } = call
  if (refused?.kind !== 'failure' || denialCodes === undefined) return refused
  if (refused.failure.code !== 'DENIED') return refused
  return { ...refused, failure: { ...refused.failure, reasons: [...denialCodes] } }
}

function decide(call: Call, host: PipelineHost): Soon<Outcome | undefined> {
  const denied = runGuards(call)
  if (denied !== undefined) return denied
  if (call.interrupt.code !== undefined) return interruptedFailure(call.interrupt, 'before')
  const admission = runPreExecute(call, host.policyTimeoutMs)
  if (!(admission instanceof Promise)) return decideAbout(admission, call, host)
  return admission.then((given) => decideAbout(given, call, host))
}

function decideAbout(
  admission: Admission,
  call: Call,
  host: PipelineHost,
): Soon<Outcome | undefined> {
  if (admission.kind === 'refuse') return admission.failure
  if (admission.kind === 'allow') return undefined
  return runApproval(call, admission.reason, host.approvals)
}
