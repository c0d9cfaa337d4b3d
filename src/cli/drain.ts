import type { ToolServers } from '../serve/tool-server.ts'

/** Resolves when no call is under way, or after so many milliseconds. */
export async function drain(servers: ToolServers, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([servers.idle(), late])
  clearTimeout(timer)
}
