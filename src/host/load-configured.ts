import { isCaissonError, type CaissonError } from '../errors/caisson-error.ts'
import { placeError } from '../config/in-config.ts'
import type { OperatorConfig, SourceEntry } from '../config/operator-schema.ts'
import type { LoadedTools, LoadOptions, ToolSettings } from './load.ts'

/** A source of a configuration, and what came of it. */
export interface ConfiguredSource {
  /** As listings call it. */
  readonly source: string
  readonly loaded: LoadedTools
}

/** A source that could not be loaded; the text of the error names its key. */
export interface ConfiguredFailure {
  readonly source: string
  readonly error: CaissonError
}

/** What came of the sources of a configuration, in its order. */
export interface ConfiguredTools {
  readonly loaded: readonly ConfiguredSource[]
  readonly failures: readonly ConfiguredFailure[]
}

/** Loads each source and server of a configuration; one that fails does not keep the others out. */
export async function loadConfigured(
  load: (source: string, options: LoadOptions) => Promise<LoadedTools>,
  { sources, mcpServers }: Pick<OperatorConfig, 'sources' | 'mcpServers'>,
  /** Folder that relative paths of servers start in. */
  base: string,
  /** What errors call a source by its place. */
  keyOf: (index: number) => string | undefined = (index) => `sources.${index}`,
): Promise<ConfiguredTools> {
  const tried: Tried[] = []
  for (const [index, entry] of sources.map(toEntry).entries()) {
    if (entry.enabled === false) continue
    const shown = entry.name ?? entry.source
    for (const options of splitByProfile(entry)) {
      tried.push(await tryLoad(shown, keyOf(index), () => load(entry.source, options)))
    }
  }
  const servers = Object.entries(mcpServers).filter(([, { disabled }]) => disabled !== true)
  const served = servers.map(([name, server]) =>
    tryLoad(name, `mcpServers.${name}`, () => load(name, { server, base })),
  )
  tried.push(...(await Promise.all(served)))
  return {
    loaded: tried.flatMap((one) => ('loaded' in one ? [one] : [])),
    failures: tried.flatMap((one) => ('error' in one ? [one] : [])),
  }
}

type Tried = ConfiguredSource | ConfiguredFailure

async function tryLoad(
  source: string,
  key: string | undefined,
  load: () => Promise<LoadedTools>,
): Promise<Tried> {
  try {
    return { source, loaded: await load() }
  } catch (error) {
    if (!isCaissonError(error)) throw error
    return { source, error: key === undefined ? error : placeError(key, error) }
  }
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
