import { isCaissonError, type CaissonError } from '../errors/caisson-error.ts'
import type { OperatorConfig, SourceEntry } from '../config/operator-schema.ts'
import type { LoadedTools, LoadOptions, ToolSettings } from './load.ts'

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
    if (entry.enabled === false) continue
    for (const options of splitByProfile(entry)) await tryLoad(entry.source, options)
  }
  const servers = Object.entries(mcpServers).filter(([, { disabled }]) => disabled !== true)
  await Promise.all(servers.map(([name, server]) => tryLoad(name, { server, base })))
  return { loaded, failures }
}

function toEntry(entry: string | SourceEntry): SourceEntry {
  return typeof entry === 'string' ? { source: entry } : entry
}

/** A source whose tools have different profiles is loaded once under each. */
function splitByProfile({
  source: _source,
  enabled: _enabled,
  ...given
}: SourceEntry): LoadOptions[] {
  const { tools = {}, ...rest } = given
  const base = defined(rest) as LoadOptions
  const own = Object.entries(tools).filter(
    ([, { profile, memoryMb }]) => profile !== undefined || memoryMb !== undefined,
  )
  const single = own.map(([name, { profile, memoryMb, ...settings }]): LoadOptions => {
    const place = defined({ profile, memoryMb })
    return { ...base, ...place, only: [name], tools: { [name]: settings as ToolSettings } }
  })
  const others = Object.fromEntries(
    Object.entries(tools).map(([name, { profile: _profile, memoryMb: _memory, ...settings }]) => [
      name,
      (own.some(([moved]) => moved === name) ? { enabled: false } : settings) as ToolSettings,
    ]),
  )
  return [{ ...base, tools: others }, ...single]
}

function defined(record: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
