import { readFileSync } from 'node:fs'
import type { ToolHost } from '../../src/index.ts'
import type { LoadedTools } from '../../src/host/load.ts'
import type { HostOptions } from '../../src/host/spec.ts'

/** What calls under the default profile share: set by the file that runs the others in another state. */
const STATE = process.env['CAISSON_ATTACKED_STATE']
const REST_MS = 150

/** Whether calls share a realm that none of them can change. */
export const isFrozen: boolean = STATE === 'frozen'

/** Text that does each of these to the realm; where that is frozen it tries to, and goes on. */
export function tryEach(...statements: readonly string[]): string {
  if (!isFrozen) return statements.join('\n')
  return statements.map((text) => `try { ${text} } catch { /* it is frozen */ }`).join('\n')
}

/** The options with the default profile in the state under attack. */
export function withState(options: HostOptions): HostOptions {
  if (STATE === undefined) return options
  const pure = JSON.parse(readFileSync('sandbox-profiles/pure.json', 'utf8')) as object
  return { ...options, profiles: [{ ...pure, state: STATE }, ...(options.profiles ?? [])] }
}

/** Throws unless a source that was loaded is in the state under attack. */
export async function checkState(host: ToolHost, { state, dispose }: LoadedTools): Promise<void> {
  if (state === undefined) return
  // The runner that described the source in a fresh context is not needed any more, and goes.
  for (let seen = ''; seen !== host.childPids().join();) {
    seen = host.childPids().join()
    await new Promise((resolve) => setTimeout(resolve, REST_MS))
  }
  if (state.name === STATE) return
  await dispose()
  throw new Error(`it is not ${STATE} that is under attack: ${state.reason}`)
}
