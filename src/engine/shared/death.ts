import type { ErrorFacts } from '../../errors/caisson-error.ts'
import type { ErrorCode } from '../../errors/codes.ts'
import type { BodyOutcome } from '../../types/engine.ts'
import type { EngineDeath, Ending } from './conversation.ts'

type Untimed<T> = T extends unknown ? Omit<T, 'prepareMs' | 'bodyMs'> : never

/** An outcome in which the engine, not the body, had the last word. */
export type UntimedDeath = Untimed<BodyOutcome & { kind: 'died' | 'unusable' }>

/** Names what ended a body that did not settle, from what the host itself observed. */
export function toDeath(
  ending: Exclude<Ending, { by: 'settled' }>,
  started: boolean,
): UntimedDeath {
  if (ending.by === 'overran') {
    const { stage } = ending
    const message = `${stage} took longer than its budget`
    return { kind: 'unusable', code: 'INVALID_TOOL_OUTPUT', message, facts: { stage } }
  }
  const died = (code: ErrorCode, message: string, facts: ErrorFacts = {}): UntimedDeath => ({
    kind: 'died',
    code,
    message,
    started,
    facts: { started, ...facts },
  })
  if (ending.by === 'unconfirmed') return died('TOOL_CRASHED', 'the sandbox of the tool is lost')
  if (ending.by === 'failed' || ending.by === 'declined')
    return died('TOOL_CRASHED', "the tool's sandbox failed under the call")
  const { death } = ending
  switch (death.cause) {
    case 'memory':
      return died('TOOL_OUT_OF_MEMORY', 'the tool used more memory than its profile allows')
    case 'cpu':
      return died('TOOL_TIMEOUT', 'the tool used more CPU time than its profile allows', {
        budget: 'cpu',
      })
    case 'protocol':
      return died('PROTOCOL_ERROR', `the tool's sandbox sent ${death.detail}`)
    case 'output':
      return died('OUTPUT_LIMIT', `the tool produced ${death.detail}`)
    case 'spawn':
      return died('ENGINE_UNAVAILABLE', 'the sandbox runner did not start')
    case 'collateral':
      return died(
        'TOOL_CRASHED',
        'the runner that the call shared with others was ended for one of them',
        { collateral: true, lifetimeMs: Math.round(death.lifetimeMs) },
      )
    default:
      return died('TOOL_CRASHED', crashText(death), {
        ...(death.exitCode === undefined ? {} : { exitCode: death.exitCode }),
        ...(death.signal === undefined ? {} : { signal: death.signal }),
        lifetimeMs: Math.round(death.lifetimeMs),
      })
  }
}

function crashText({ cause, detail }: EngineDeath): string {
  if (cause === 'uncaught') return `the tool crashed: ${detail}`
  return 'the sandbox of the tool ended under the call'
}
