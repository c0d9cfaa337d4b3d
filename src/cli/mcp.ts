import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import { readConfig } from '../host/read-config.ts'
import { openPins } from '../mcp/pins.ts'
import type { Output } from './output.ts'

/** `caisson mcp approve`: what a server offers next is taken as it is. */
export function runMcpApprove(
  output: Output,
  server: string,
  { config }: { readonly config?: string },
): number {
  const { stateDir } = config === undefined ? {} : readConfig(config).options
  const home = resolve(stateDir ?? process.env['CAISSON_HOME'] ?? join(homedir(), '.caisson'))
  const pins = openPins(home)
  const keys = pins.servers()
  const matching = keys.filter((key) => key.replace(/:[0-9a-f]+$/, '') === server)
  if (matching.length === 0) {
    const known = [...new Set(keys.map((key) => key.replace(/:[0-9a-f]+$/, '')))].join(', ')
    const text = `no tools of a server '${server}' were approved; known: ${known || 'none'}`
    throw new CaissonError('CONFIG_INVALID', text)
  }
  for (const key of matching) pins.forget(key)
  if (output.json) output.object({ approved: server })
  else output.line(`what '${server}' offers when it is loaded next counts as approved`)
  return 0
}
