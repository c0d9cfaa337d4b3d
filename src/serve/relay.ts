import type { LoggingLevel, ServerContext } from '@modelcontextprotocol/server'
import type { ToolHost } from '../host/create-tool-host.ts'

/** Tells clients what their calls say while they run: progress and log entries. */
export interface Relay {
  /** From now on what the call says goes to this request. */
  attach(callId: string, ctx: ServerContext): void
  detach(callId: string): void
  close(): void
}

const LEVELS: Readonly<Record<string, LoggingLevel>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
}

/** Creates the relay of a host; `progress` says whether progress is told, logs are always. */
export function createRelay(host: ToolHost, progress: boolean): Relay {
  const requests = new Map<string, { readonly ctx: ServerContext; last: number }>()
  const offProgress = host.on('tools/progress', ({ callId }, update) => {
    const request = requests.get(callId)
    const token = request?.ctx.mcpReq._meta?.progressToken
    // Progress that does not grow is not told: the protocol forbids it.
    if (!progress || request === undefined || token === undefined) return
    if (update.progress <= request.last) return
    request.last = update.progress
    const params = { progressToken: token, ...update }
    quietly(request.ctx.mcpReq.notify({ method: 'notifications/progress', params }))
  })
  const offLog = host.on('tool/log', ({ data }) => {
    const request = requests.get(data.callId)
    if (request === undefined) return
    quietly(request.ctx.mcpReq.log(LEVELS[data.level] ?? 'info', data.text))
  })
  return {
    attach: (callId, ctx) => void requests.set(callId, { ctx, last: -Infinity }),
    detach: (callId) => void requests.delete(callId),
    close() {
      offProgress()
      offLog()
    },
  }
}

// A client that has gone away hears nothing; its request is ended by its signal.
function quietly(sent: Promise<void>): void {
  sent.catch(() => undefined)
}
