import { collectListeners } from '../registry/scope.ts'
import type { Listener } from '../registry/hub.ts'
import type { PreDecision } from '../types/decision.ts'
import type { Soon } from '../types/soon.ts'
import type { Call } from './call.ts'
import { runChain, type Answer } from './chain.ts'
import { interruptedFailure } from './interrupted.ts'
import { failWith, type Failure } from './outcome.ts'
import { parsePreDecision } from './parse-decision.ts'
import { awaitPhase } from './policy-phase.ts'

/** What policy says of a call: go on, ask somebody, or the denial. */
export type Admission =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reason?: string }
  | { readonly kind: 'refuse'; readonly failure: Failure }

const EVENT = 'tools/pre-execute'
const ALLOW: PreDecision = Object.freeze({ kind: 'allow' })
const ADMITTED: Admission = Object.freeze({ kind: 'allow' })

/** Runs the `tools/pre-execute` waterfall. The most restrictive decision of any listener wins. */
export function runPreExecute(call: Call, timeoutMs: number): Soon<Admission> {
  const listeners = collectListeners(call.scope, EVENT)
  return listeners.length === 0 ? ADMITTED : askListeners(call, listeners, timeoutMs)
}

async function askListeners(
  call: Call,
  listeners: readonly Listener[],
  timeoutMs: number,
): Promise<Admission> {
  let denial: Failure | undefined
  const asks: string[] = []
  call.policyUntil = performance.now() + timeoutMs
  const chain = runChain<PreDecision, PreDecision>({
    listeners,
    call: (fn, next) => Reflect.apply(fn, undefined, [call.exec, next]),
    parse: parsePreDecision,
    ends: (answer) => {
      denial ??= toDenial(answer)
      if (answer.kind === 'decided' && answer.decision.kind === 'ask') {
        const { reason } = answer.decision
        if (reason !== undefined && !asks.includes(reason)) asks.push(reason)
      }
      return toDenial(answer) !== undefined
    },
    combine: (answer, behind) => strictest(toDecision(answer), behind),
    rest: ALLOW,
  })
  const ending = await awaitPhase(chain, call, { timeoutMs, endsWithCall: true })
  if (denial !== undefined) return { kind: 'refuse', failure: denial }
  if (ending.kind === 'interrupted') {
    return { kind: 'refuse', failure: interruptedFailure(call.interrupt, 'before') }
  }
  if (ending.kind === 'timeout') {
    const { listener } = ending
    const message = `policy listener '${listener}' did not answer within ${timeoutMs} ms`
    return {
      kind: 'refuse',
      failure: failWith('POLICY_TIMEOUT', message, { listener, phase: EVENT }),
    }
  }
  if (ending.decision.kind !== 'ask') return { kind: 'allow' }
  return asks.length === 0 ? { kind: 'ask' } : { kind: 'ask', reason: asks.join('\n') }
}

function toDenial(answer: Answer<PreDecision>): Failure | undefined {
  const { listener, by } = answer
  if (answer.kind === 'malformed') {
    const message = `policy listener '${listener}' ${answer.problem}`
    return failWith('BAD_DECISION', message, { by, listener, phase: EVENT })
  }
  if (answer.kind === 'threw') {
    const { cause } = answer
    const message = `policy listener '${listener}' failed: ${cause}`
    return failWith('DENIED', message, { by, listener, cause })
  }
  if (answer.decision.kind !== 'deny') return undefined
  return failWith('DENIED', answer.decision.reason, { by, listener })
}

function toDecision(answer: Answer<PreDecision>): PreDecision {
  if (answer.kind === 'decided') return answer.decision
  return Object.freeze({ kind: 'deny', reason: `'${answer.listener}' gave no usable decision` })
}

const RANK = { allow: 0, ask: 1, deny: 2 } as const

function strictest(own: PreDecision, behind: PreDecision | undefined): PreDecision {
  if (behind === undefined) return own
  return RANK[behind.kind] > RANK[own.kind] ? behind : own
}
