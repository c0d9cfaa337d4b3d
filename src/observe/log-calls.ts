import type { ErrorCode } from '../errors/codes.ts'
import type { Subscribe } from '../types/listeners.ts'
import type { Log } from './log.ts'

/** Codes that are about the host and its sandboxes, not about a tool or a decision. */
const OPERATIONAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ENGINE_UNAVAILABLE',
  'SANDBOX_UNAVAILABLE',
  'PROTOCOL_ERROR',
  'OVERLOADED',
  'QUEUE_TIMEOUT',
])

/**
 * Writes a line for each call that ends and each question of policy, and on level `debug` for each
 * call that begins and everything a tool says. Returns what ends that.
 */
export function logCalls({ on }: { readonly on: Subscribe }, log: Log): () => void {
  const stops = [
    on('tools/result', ({ name: tool, callId, rootCallId, agent }, result) => {
      const { attempts, timings } = result
      const error = result.isError ? result.error : undefined
      const level = error === undefined ? 'info' : OPERATIONAL.has(error.code) ? 'error' : 'warn'
      log.write(level, 'call ended', {
        tool,
        callId,
        rootCallId: rootCallId === callId ? undefined : rootCallId,
        agent: agent?.id,
        outcome: error?.code ?? 'success',
        error: error?.message,
        attempts: attempts.length,
        queueMs: round(timings.queueMs),
        ms: round(timings.totalMs),
      })
    }),
    on('approval/asked', ({ data: { id, toolName: tool, callId, reason } }) =>
      log.write('info', 'approval asked', { tool, callId, approvalId: id, reason }),
    ),
    on('approval/decided', ({ data: { id, outcome } }) =>
      log.write('info', 'approval decided', { approvalId: id, outcome }),
    ),
    ...(log.isOn('debug') ? logDetails(on, log) : []),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

function logDetails(on: Subscribe, log: Log): (() => void)[] {
  const tools = new Map<string, string>()
  const begin = (callId: string, tool: string): void => {
    tools.set(callId, tool)
    log.write('debug', 'call began', { tool, callId })
  }
  return [
    on('tool/call', ({ data }) => begin(data.callId, data.name)),
    on('tool/code-dispatch-start', ({ data }) => begin(data.subCallId, data.name)),
    on('tools/result', ({ callId }) => void tools.delete(callId)),
    on('tool/log', ({ data: { callId, level, text } }) =>
      log.write('debug', 'tool said', { tool: tools.get(callId), callId, toolLevel: level, text }),
    ),
  ]
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
