import type { Call } from '../../../pipeline/call.ts'
import { failWith, type Outcome, type Success } from '../../../pipeline/outcome.ts'
import { shapeValue } from '../../../pipeline/shape.ts'
import type { CallFailure } from '../../../types/call.ts'
import type { RedactionMode } from '../config/settings.ts'
import { redactJson } from './redact.ts'

/** An outcome as it may be delivered, and what was done to it. */
export interface RedactedOutcome {
  readonly outcome: Outcome
  readonly count: number
  /** Nothing of the original is left in it. */
  readonly failed: boolean
}

/**
 * Masks everything of an outcome that reaches a model or a caller. A changed value is checked and
 * rendered again. When that cannot be done the outcome is a denial without any of the original.
 */
export async function redactOutcome(
  call: Call,
  outcome: Outcome,
  mode: RedactionMode,
  redact: typeof redactJson = redactJson,
): Promise<RedactedOutcome> {
  try {
    const contexts = redact(outcome.contexts, mode)
    if (outcome.kind === 'failure') {
      const masked = redact({ failure: outcome.failure, shown: shownOf(outcome) }, mode)
      const count = masked.count + contexts.count
      if (count === 0) return { outcome, count, failed: false }
      const { failure, shown } = masked.value
      const { code, name } = outcome.failure
      const kept: CallFailure = { ...failure, code, name }
      return {
        outcome: { ...outcome, ...shown, failure: kept, contexts: contexts.value },
        count,
        failed: false,
      }
    }
    const masked = await redactSuccess(call, outcome, mode, redact)
    if (masked === undefined) return withhold(outcome)
    const count = masked.count + contexts.count
    if (count === 0) return { outcome, count, failed: false }
    return { outcome: { ...masked.outcome, contexts: contexts.value }, count, failed: false }
  } catch {
    return withhold(outcome) // What could not be looked through is not shown.
  }
}

async function redactSuccess(
  call: Call,
  outcome: Success,
  mode: RedactionMode,
  redact: typeof redactJson,
): Promise<{ readonly outcome: Success; readonly count: number } | undefined> {
  const value = redact(outcome.value, mode)
  const asIs = redact(shownOf(outcome), mode)
  if (value.count === 0) return { outcome: { ...outcome, ...asIs.value }, count: asIs.count }
  const { registration, exec } = call
  if (registration === undefined) return undefined
  const shaped = await shapeValue({
    registration,
    args: exec.arguments,
    value: value.value,
    wantsMeta: exec.parent === undefined,
    stage: 'redaction',
  })
  if (shaped.kind === 'refused') return undefined
  const { meta, content } = shaped.shaped
  // What somebody put in place of the rendered content stays theirs, masked as it is.
  const isRendered = outcome.content === renderedOf(call)
  const drawn = redact({ ...(meta === undefined ? {} : { meta }), content }, mode)
  const shown = isRendered ? drawn.value : { ...drawn.value, content: asIs.value.content }
  const { meta: _old, ...rest } = outcome
  return {
    outcome: { ...rest, ...shown, value: shaped.shaped.value },
    count: value.count + drawn.count,
  }
}

function renderedOf({ lastOutcome }: Call): unknown {
  return lastOutcome?.kind === 'success' ? lastOutcome.content : undefined
}

function shownOf({ content, meta }: Outcome): Pick<Outcome, 'content' | 'meta'> {
  return meta === undefined ? { content } : { content, meta }
}

function withhold(outcome: Outcome): RedactedOutcome {
  const facts = {
    by: 'policy',
    reasons: ['REDACTION_FAILED'],
    ...(outcome.kind === 'success' ? { ran: true } : {}),
  }
  const text = 'the result was withheld because it could not be freed of secrets'
  return { outcome: failWith('DENIED', text, facts), count: 0, failed: true }
}
