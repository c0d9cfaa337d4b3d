import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ToolServers } from './tool-server.ts'

/**
 * Serves one client over standard input and output. Resolves when its input has ended, or `stop`
 * aborts; what runs by then is ended by whoever closes the host.
 */
export async function serveOverStdio(
  servers: ToolServers,
  options: { readonly stop: AbortSignal; diagnose(text: string): void },
): Promise<void> {
  const handle = serveStdio(servers.factory, {
    onerror: (error) => options.diagnose(`mcp: ${error.message}`),
  })
  const ended = Promise.race([
    once(process.stdin, 'end'),
    once(process.stdin, 'close'),
    once(process.stdout, 'error'),
    untilAborted(options.stop),
  ])
  await ended.catch(() => undefined)
  if (!options.stop.aborted) await handle.close()
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
