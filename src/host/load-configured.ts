import { isCaissonError, type CaissonError } from '../errors/caisson-error.ts'
import type { OperatorConfig, SourceEntry } from '../config/operator-schema.ts'
import type { LoadOptions } from './load.ts'
import type { LoadedTools } from './load.ts'

/** What came of the sources of a configuration. */
export interface ConfiguredTools {
  readonly loaded: readonly LoadedTools[]
  readonly failures: readonly { readonly source: string; readonly error: CaissonError }[]
}

/** Loads each source and server of a configuration; one that fails does not keep the others out. */
export async function loadConfigured(
  load: (source: string, options: LoadOptions) => Promise<LoadedTools>,
  { sources, mcpServers }: Pick<OperatorConfig, 'sources' | 'mcpServers'>,
  /** Folder that relative paths of servers start in. */
  base: string,
): Promise<ConfiguredTools> {
  const loaded: LoadedTools[] = []
  const failures: { source: string; error: CaissonError }[] = []
  const tryLoad = async (source: string, options: LoadOptions): Promise<void> => {
    try {
      loaded.push(await load(source, options))
    } catch (error) {
      if (!isCaissonError(error)) throw error
      failures.push({ source, error })
    }
  }
  for (const entry of sources.map(toEntry)) {
    if (entry.enabled !== false) await tryLoad(entry.source, toOptions(entry))
  }
  const servers = Object.entries(mcpServers).filter(([, { disabled }]) => disabled !== true)
  await Promise.all(servers.map(([name, server]) => tryLoad(name, { server, base })))
  return { loaded, failures }
}

function toEntry(entry: string | SourceEntry): SourceEntry {
  return typeof entry === 'string' ? { source: entry } : entry
}

function toOptions({ source: _source, enabled: _enabled, ...given }: SourceEntry): LoadOptions {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
