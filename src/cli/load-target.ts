import type { OperatorConfig } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { hasSources, type ConfiguredHost } from '../host/configured-host.ts'
import type { LoadedTools } from '../host/load.ts'
import type { ConfiguredFailure } from '../host/load-configured.ts'
import { toLine, type Output } from './output.ts'
import { chooseTool, unknownTool, type Target } from './target.ts'

/** What a command says of every tool it loads; undefined leaves it to the configuration. */
export interface TargetSettings {
  readonly profile?: string
  readonly timeout?: number
  readonly retries?: number
  readonly config?: string
}

/** What was loaded for a command. */
export interface LoadedTarget {
  readonly loaded: readonly LoadedTools[]
  /** Of all sources. */
  readonly tools: readonly string[]
  /** For people. */
  readonly shown: string
}

/**
 * Loads what a command line names. What a configuration fails to load is told on standard error, and
 * is an error where nothing else is left.
 */
export async function loadTarget(
  { host, operator, load }: Pick<ConfiguredHost, 'host' | 'operator' | 'load'>,
  { isConfigured, sources }: Target,
  settings: TargetSettings,
  output: Output,
): Promise<LoadedTarget> {
  const { profile, timeout, retries, config } = settings
  if (isConfigured) checkConfigured(operator, sources, settings)
  const configured = isConfigured ? await load() : { loaded: [], failures: [] }
  const loaded = configured.loaded.map((one) => one.loaded)
  const known = isConfigured ? operator.sources.map(toSource) : []
  for (const source of sources.filter((named) => !known.includes(named))) {
    const given = await host.tools.load(source, {
      ...(profile === undefined ? {} : { profile }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(retries === undefined ? {} : { retry: { retries } }),
    })
    loaded.push(given)
    if (given.unconfined !== undefined) noteUnconfined(source, given.unconfined, output)
  }
  for (const { source, loaded: one } of configured.loaded) {
    if (one.unconfined !== undefined) noteUnconfined(source, one.unconfined, output)
  }
  const [first] = configured.failures
  if (first !== undefined && loaded.length === 0) throw first.error
  noteFailures(configured.failures, output)
  const shown = [...sources, ...(isConfigured && config !== undefined ? [config] : [])]
  return { loaded, tools: loaded.flatMap(({ tools }) => tools), shown: shown.join(' and ') }
}

/** The one tool that a command line names. Throws `UNKNOWN_TOOL` or `CONFIG_INVALID`. */
export function chooseOne({ tools, shown }: LoadedTarget, { isConfigured, tool }: Target): string {
  if (!isConfigured || tool === undefined || tools.includes(tool)) {
    return chooseTool(tool, tools, shown)
  }
  throw unknownTool(`there is no tool '${tool}' in ${shown}, and no such file`, tool, tools)
}

/** Tells what could not be loaded, a line each. */
export function noteFailures(failures: readonly ConfiguredFailure[], output: Output): void {
  for (const { error } of failures) {
    output.note(`caisson: ${error.code}: ${toLine(error.message)}; its tools are left out`)
  }
}

/** What a command says of deadlines and attempts counts for every source of a configuration. */
export function overrideSettings({
  timeout,
  retries,
}: TargetSettings): (operator: OperatorConfig) => OperatorConfig {
  const own = {
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(retries === undefined ? {} : { retry: { retries } }),
  }
  const override = <T extends object>(
    tools: Record<string, T> = {},
  ): { tools: Record<string, T> } => ({
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, { ...tool, ...own }]),
    ),
  })
  return (operator) => ({
    ...operator,
    sources: operator.sources.map((entry) => {
      const given = typeof entry === 'string' ? { source: entry } : entry
      return { ...given, ...own, ...override('tools' in given ? given.tools : {}) }
    }),
    mcpServers: Object.fromEntries(
      Object.entries(operator.mcpServers).map(([name, server]) => [
        name,
        { ...server, ...own, ...override(server.tools) },
      ]),
    ),
  })
}

function toSource(entry: OperatorConfig['sources'][number]): string {
  return typeof entry === 'string' ? entry : entry.source
}

function checkConfigured(
  operator: OperatorConfig,
  sources: readonly string[],
  { profile, config = '' }: TargetSettings,
): void {
  if (sources.length === 0 && !hasSources(operator)) {
    const text = `${config} names nothing to load: add sources or mcpServers, or name a source`
    throw new CaissonError('CONFIG_INVALID', text, { config })
  }
  if (profile === undefined) return
  const text = `--profile goes with a source; the profiles of ${config} are said there`
  throw new CaissonError('CONFIG_INVALID', text, { config })
}

function noteUnconfined(source: string, why: string, output: Output): void {
  output.note(`caisson: ${source}: nothing confines what it runs in: ${why}`)
}
