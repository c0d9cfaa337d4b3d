import type { Execution } from '../types/call.ts'
import type { PreDecision } from '../types/decision.ts'
import { SANDBOX_MODES, type SandboxMode } from './bash.ts'
import type { BuiltinOptions } from './options.ts'

/** What policy says of the sandbox a shell line asks for; undefined for no more than it has. */
export function judgeMode(
  { arguments: args }: Pick<Execution, 'arguments'>,
  { bash }: BuiltinOptions,
): PreDecision | undefined {
  const asked: unknown = Reflect.get(Object(args), 'sandbox')
  if (!isMode(asked) || rank(asked) <= rank(bash.mode)) return undefined
  const widest = bash.widest ?? bash.mode
  if (rank(asked) <= rank(widest)) {
    return { kind: 'ask', reason: `the line asks for ${asked}, which is more than ${bash.mode}` }
  }
  return { kind: 'deny', reason: `the operator allows ${widest} at most, not ${asked}` }
}

function isMode(value: unknown): value is SandboxMode {
  return SANDBOX_MODES.some((mode) => mode === value)
}

function rank(mode: SandboxMode): number {
  return SANDBOX_MODES.indexOf(mode)
}
