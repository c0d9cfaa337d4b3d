import type { Listener, ListenerKind } from '../registry/hub.ts'
import { collectListeners } from '../registry/scope.ts'
import type { PostDecision } from '../types/decision.ts'
import type { ContentBlock } from '../types/content.ts'
import type { JsonValue } from '../types/json.ts'
import type { Soon } from '../types/soon.ts'
import type { ErrorCode } from '../errors/codes.ts'
import { createFailure, type ErrorFacts } from '../errors/caisson-error.ts'
import type { Call } from './call.ts'
import { runChain, type Answer } from './chain.ts'
import { interruptedFailure } from './interrupted.ts'
import { textBlock, type Failure, type Outcome } from './outcome.ts'
import { parsePostDecision } from './parse-decision.ts'
import { awaitPhase } from './policy-phase.ts'
import { shapeValue } from './shape.ts'
import { toResult } from './to-result.ts'

const EVENT = 'tools/post-execute'
const PHASE = 'post-execute'
const WITHHELD = 'Error: the result was withheld because a policy listener failed'
const STOCK_FEEDBACK = 'the result was blocked by policy'
const ACCEPT: PostDecision = Object.freeze({ kind: 'accept' })

/** What a listener and those behind it decided together, and whose replacement that carries. */
interface Combined {
  readonly decision: PostDecision
  readonly by?: string
}

/** Runs the `tools/post-execute` waterfall over a frozen result and applies what it decided. */
export function runPostExecute(call: Call, outcome: Outcome, timeoutMs: number): Soon<Outcome> {
  const listeners = collectListeners(call.scope, EVENT)
  if (listeners.length === 0) return acceptAsIs(call, outcome)
  return askListeners(call, outcome, listeners, timeoutMs)
}

async function askListeners(
  call: Call,
  outcome: Outcome,
  listeners: readonly Listener[],
  timeoutMs: number,
): Promise<Outcome> {
  const result = toResult(call, outcome)
  // The first block or breakage stands, whatever listeners in front of it say or wait for; a block
  // that one of them hands on as a block stands as it was handed on.
  let ended: Failure | undefined
  let blocker: ListenerKind | undefined
  let isBroken = false
  call.policyUntil = performance.now() + timeoutMs
  const chain = runChain<PostDecision, Combined>({
    listeners,
    call: (fn, next) =>
      Reflect.apply(fn, undefined, [call.exec, result, () => next().then((c) => c.decision)]),
    parse: parsePostDecision,
    ends(answer) {
      if (isBlocking(answer)) blocker ??= answer.by
      const refusal = toRefusal({ ...answer, by: blocker ?? answer.by }, outcome)
      const isBlock = answer.kind === 'decided'
      if (ended === undefined || (isBlock && !isBroken)) ended = refusal ?? ended
      isBroken ||= !isBlock
      return refusal !== undefined
    },
    combine: merge,
    rest: { decision: ACCEPT },
  })
  const ending = await awaitPhase(chain, call, { timeoutMs, endsWithCall: false })
  if (ended !== undefined) return ended
  if (ending.kind !== 'decided') {
    const listener = ending.kind === 'timeout' ? ending.listener : 'none'
    const message = `policy listener '${listener}' did not answer within ${timeoutMs} ms`
    return withhold('POLICY_TIMEOUT', message, { by: 'policy', listener }, outcome)
  }
  return acceptAsIs(call, await applyAccept(call, outcome, ending.decision))
}

// A success that was accepted after the call had been interrupted is not delivered.
function acceptAsIs(call: Call, outcome: Outcome): Outcome {
  if (outcome.kind === 'failure' || call.interrupt.code === undefined) return outcome
  return interruptedFailure(call.interrupt, 'after', outcome.contexts)
}

function merge(
  answer: Answer<PostDecision>,
  behind: Combined | undefined,
  calledNext: boolean,
): Combined {
  if (answer.kind !== 'decided') return behind ?? { decision: ACCEPT }
  const own = answer.decision
  if (own.kind === 'block' || behind === undefined) return { decision: own, by: answer.listener }
  if (behind.decision.kind === 'block') return behind
  const inner = behind.decision
  const contexts = [
    ...(own.additionalContexts ?? []),
    ...(calledNext ? [] : (inner.additionalContexts ?? [])),
  ]
  const extra = contexts.length === 0 ? {} : { additionalContexts: Object.freeze(contexts) }
  const replaces = 'content' in own || 'value' in own
  const { additionalContexts: _own, ...kept } = replaces ? own : inner
  const by = replaces ? answer.listener : behind.by
  return {
    decision: Object.freeze({ ...kept, ...extra }),
    ...(by === undefined ? {} : { by }),
  }
}

async function applyAccept(
  call: Call,
  outcome: Outcome,
  { decision, by }: Combined,
): Promise<Outcome> {
  if (decision.kind === 'block') return applyBlock(outcome, decision, 'policy')
  const contexts = [...outcome.contexts, ...(decision.additionalContexts ?? [])]
  const { content } = decision
  if (content !== undefined) return { ...outcome, content, contexts }
  if (!('value' in decision)) return { ...outcome, contexts }
  const listener = by ?? 'none'
  const { registration, exec } = call
  if (outcome.kind === 'failure' || registration === undefined) {
    const message = `policy listener '${listener}' gave a value for a failed call`
    return withhold('BAD_DECISION', message, { by: 'policy', listener }, outcome)
  }
  const shaped = await shapeValue({
    registration,
    args: exec.arguments,
    value: decision.value,
    wantsMeta: exec.parent === undefined,
    stage: PHASE,
  })
  if (shaped.kind === 'refused') return { ...shaped.failure, contexts }
  return { kind: 'success', ...shaped.shaped, contexts, concludes: outcome.concludes }
}

function applyBlock(
  outcome: Outcome,
  block: PostDecision & { kind: 'block' },
  by: ListenerKind,
): Failure {
  const { feedback } = block
  const message = feedback.map(toText).join('\n') || STOCK_FEEDBACK
  const failure =
    outcome.kind === 'failure'
      ? { ...outcome.failure, message }
      : createFailure('DENIED', message, { by, phase: PHASE })
  return {
    kind: 'failure',
    failure,
    content: feedback,
    contexts: block.additionalContexts ?? [],
  }
}

function toText(block: ContentBlock): string {
  const { text } = block as { readonly text?: JsonValue }
  return block.type === 'text' && typeof text === 'string' ? text : `[${block.type} content]`
}

function isBlocking(answer: Answer<PostDecision>): boolean {
  return answer.kind === 'decided' && answer.decision.kind === 'block'
}

function toRefusal(answer: Answer<PostDecision>, outcome: Outcome): Failure | undefined {
  const { listener, by } = answer
  if (answer.kind === 'decided') {
    return answer.decision.kind === 'block' ? applyBlock(outcome, answer.decision, by) : undefined
  }
  if (answer.kind === 'threw') {
    const { cause } = answer
    const message = `policy listener '${listener}' failed: ${cause}`
    return withhold('DENIED', message, { by, listener, cause }, outcome)
  }
  const message = `policy listener '${listener}' ${answer.problem}`
  return withhold('BAD_DECISION', message, { by, listener }, outcome)
}

// What a failed redactor should have removed is not shown.
function withhold(code: ErrorCode, message: string, facts: ErrorFacts, outcome: Outcome): Failure {
  const previous = outcome.kind === 'failure' ? { previous: outcome.failure.code } : {}
  return {
    kind: 'failure',
    failure: createFailure(code, message, { ...facts, phase: PHASE, ...previous }),
    content: [textBlock(WITHHELD)],
    contexts: [],
  }
}
