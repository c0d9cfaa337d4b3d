import { isCaissonError, type CaissonError } from '../errors/caisson-error.ts'
import type { OperatorConfig, SourceEntry } from '../config/operator-schema.ts'
import type { LoadOptions } from './load.ts'
import type { LoadedTools } from './load.ts'

/** What came of the sources of a configuration. */
export interface ConfiguredTools {
  readonly loaded: readonly LoadedTools[]
  readonly failures: readonly { readonly source: string; readonly error: CaissonError }[]
}

/** Loads each source of a configuration; one that fails does not keep the others out. */
export async function loadConfigured(
  load: (source: string, options: LoadOptions) => Promise<LoadedTools>,
  { sources }: Pick<OperatorConfig, 'sources'>,
): Promise<ConfiguredTools> {
  const loaded: LoadedTools[] = []
  const failures: { source: string; error: CaissonError }[] = []
  for (const entry of sources.map(toEntry)) {
    if (entry.enabled === false) continue
    try {
      loaded.push(await load(entry.source, toOptions(entry)))
    } catch (error) {
      if (!isCaissonError(error)) throw error
      failures.push({ source: entry.source, error })
    }
  }
  return { loaded, failures }
}

function toEntry(entry: string | SourceEntry): SourceEntry {
  return typeof entry === 'string' ? { source: entry } : entry
}

function toOptions({ source: _source, enabled: _enabled, ...given }: SourceEntry): LoadOptions {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
