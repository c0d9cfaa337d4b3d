import type { Registration } from '../registry/registration.ts'
import type { JsonValue } from '../types/json.ts'
import type { Soon } from '../types/soon.ts'
import type { ProjectionOutcome } from '../types/engine.ts'
import type { Call } from './call.ts'
import { failWith, type Outcome } from './outcome.ts'
import { parseContent } from './parse-content.ts'
import { toResult } from './to-result.ts'

/** Lets the tool rewrite the content of its result once, whatever the outcome was. */
export function runFinalize(
  call: Call,
  outcome: Outcome,
  diagnose: (text: string) => void,
): Soon<Outcome> {
  const { registration } = call
  if (registration?.projections.has('finalizeContent') !== true) return outcome
  return finalize(call, registration, outcome, diagnose)
}

async function finalize(
  call: Call,
  registration: Registration,
  outcome: Outcome,
  diagnose: (text: string) => void,
): Promise<Outcome> {
  const { body } = registration
  const result = toResult(call, outcome)
  // A result is plain frozen data already; an exec is not, so a sandbox gets what it may see of it.
  const exec = body.engine === 'inline' ? call.exec : toPlainExec(call)
  const answer = await body.project({ kind: 'finalizeContent', input: [exec, result] as never })
  const content = readContent(answer)
  if (content === undefined) return outcome
  if ('content' in content) return { ...outcome, content: content.content }
  const message = `finalizeContent ${content.problem}`
  if (outcome.kind === 'success') {
    return failWith('INVALID_TOOL_OUTPUT', message, { stage: 'finalizeContent' }, outcome.contexts)
  }
  diagnose(`tool '${registration.name}': ${message}; the failure stays as it was`)
  return outcome
}

function readContent(answer: ProjectionOutcome): ReturnType<typeof parseContent> | undefined {
  if (answer.kind === 'failed') return { problem: `failed: ${answer.message}` }
  if (answer.value === undefined) return undefined
  const parsed = parseContent(answer.value)
  return 'problem' in parsed ? { problem: `returned something that ${parsed.problem}` } : parsed
}

function toPlainExec({ exec }: Call): JsonValue {
  return {
    callId: exec.callId,
    rootCallId: exec.rootCallId,
    name: exec.name,
    arguments: exec.arguments === undefined ? null : exec.arguments,
    ...(exec.agent === undefined ? {} : { agent: { id: exec.agent.id } }),
  }
}
