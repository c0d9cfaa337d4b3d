import type { Clock } from '../../../approval/clock.ts'
import type { PostDecision } from '../../../types/decision.ts'
import type { DecisionSource } from '../journals/records.ts'

/** What the model is told after a refusal. */
export interface Mark {
  readonly source: DecisionSource | 'review-unavailable'
  readonly tool: string
  readonly category: string | null
  /** What the timer waited. */
  readonly seconds?: number
}

/** Marks of refused executions, until their result comes by. */
export interface Feedback {
  mark(token: symbol, mark: Mark): void
  /** Drops the marks of an execution; the block its error result gets, if it was refused here. */
  settle(token: symbol, isError: boolean): PostDecision | undefined
}

const MAX_MARKS = 256
const MAX_AGE_MS = 60_000

interface Entry {
  readonly at: number
  decision: Mark | undefined
  timeout: Mark | undefined
}

/** Creates an empty table of marks. */
export function createFeedback(clock: Clock): Feedback {
  const table = new Map<symbol, Entry>()
  const prune = (): void => {
    for (const [token, { at }] of table) {
      if (table.size <= MAX_MARKS && clock.now() - at <= MAX_AGE_MS) return
      table.delete(token)
    }
  }
  return {
    mark(token, mark) {
      const entry = table.get(token) ?? { at: clock.now(), decision: undefined, timeout: undefined }
      if (mark.source === 'timeout-deny') entry.timeout = mark
      else entry.decision = mark
      table.set(token, entry)
      prune()
    },
    settle(token, isError) {
      prune()
      const entry = table.get(token)
      table.delete(token)
      const mark = entry?.decision ?? entry?.timeout
      if (!isError || mark === undefined) return undefined
      return { kind: 'block', feedback: [{ type: 'text', text: toText(mark) }] }
    },
  }
}

/** Said with every refusal that rewording does not change. */
export const FINALITY: string =
  'The refusal is about the target or the effect: the same effect by another wording or tool stays refused. Ask the user.'

/** The text of a refusal. Closed: names, seconds and a category fill its slots, and nothing else does. */
function toText({ source, tool, category, seconds }: Mark): string {
  const head = `The call of '${tool}' did not run. Approval was the cause, not the command:`
  const kind = category === null ? '' : ` (category '${category}')`
  switch (source) {
    case 'timeout-deny':
      return `${head} approval timed out after ${seconds ?? 0} seconds, and the command was not run. Nobody refused it; ask the user before you try it again.`
    case 'audit-deny':
      return `${head} the decision could not be recorded. It may be tried again later.`
    case 'review-unavailable':
      return `${head} the reviewing model was not available. It may be tried again later.`
    case 'target-changed':
      return `${head} what it would touch changed between the check and the run. Look again, then call it again. ${FINALITY}`
    case 'rule-deny':
      return `${head} a declared rule of the operator refuses it. ${FINALITY}`
    case 'denylist-deny':
      return `${head} the operator listed this tool as refused. ${FINALITY}`
    case 'category-deny':
      return `${head} the operator refuses effects of this kind${kind}. ${FINALITY}`
    case 'classifier-deny':
    case 'review-deny':
      return `${head} a model judged that it goes against what the user wants${kind}. ${FINALITY}`
    case 'human-deny':
      return `${head} a person refused it. ${FINALITY}`
    case 'program-deny':
      return `${head} a program of the operator refused it. ${FINALITY}`
    case 'unattended-deny':
      return `${head} it needs a person${kind}, and nobody is there to answer. ${FINALITY}`
    case 'unavailable':
      return `${head} it needs an answer${kind}, and nobody could give one. ${FINALITY}`
    default:
      return `${head} policy refuses it${kind}. ${FINALITY}`
  }
}
