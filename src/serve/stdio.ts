import { once } from 'node:events'
import type { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ToolServers } from './tool-server.ts'
import { untilAborted } from '../signals/until-aborted.ts'

/**
 * Serves one client over standard input and output. Resolves when its input has ended, or `stop`
 * aborts; what runs by then is ended by whoever closes the host.
 */
export async function serveOverStdio(
  servers: ToolServers,
  options: { readonly stop: AbortSignal; diagnose(text: string): void },
): Promise<void> {
  let modern: Server | undefined
  const handle = serveStdio(
    async (context) => {
      const server = (await servers.factory(context)) as Server
      // Without a handshake there is one server for the connection; who listens is told through it.
      if (context.era === 'modern') modern = server
      return server
    },
    { onerror: (error) => options.diagnose(`mcp: ${error.message}`) },
  )
  const off = servers.onChange(() => void modern?.sendToolListChanged().catch(() => undefined))
  const ended = Promise.race([
    once(process.stdin, 'end'),
    once(process.stdin, 'close'),
    once(process.stdout, 'error'),
    untilAborted(options.stop),
  ])
  await ended.catch(() => undefined)
  off()
  if (!options.stop.aborted) await handle.close()
}
