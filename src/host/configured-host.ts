import { inConfig, placeError } from '../config/in-config.ts'
import type { OperatorConfig } from '../config/operator-schema.ts'
import { createHostOf, type ToolHost } from './create-tool-host.ts'
import type { LoadedTools, LoadOptions } from './load.ts'
import { loadConfigured, type ConfiguredTools } from './load-configured.ts'
import { readConfig, type ReadConfig } from './read-config.ts'
import type { ResolvedSecrets } from './resolve-secrets.ts'
import { resolveHostSpec, type HostOptions } from './spec.ts'

/** A host, and what its configuration says of sources; nothing is loaded yet. */
export interface ConfiguredHost {
  readonly host: ToolHost
  readonly operator: OperatorConfig
  readonly secrets: ResolvedSecrets
  /** Folder that sources are resolved against. */
  readonly workspace: string
  /** Loads what the configuration names with `load`. Default: into the host. */
  load(load?: Load): Promise<ConfiguredTools>
}

type Load = (source: string, options: LoadOptions) => Promise<LoadedTools>

/** Whether a configuration names anything to load. */
export function hasSources({ sources, mcpServers }: OperatorConfig): boolean {
  return sources.length > 0 || Object.keys(mcpServers).length > 0
}

export interface ConfiguredOptions {
  /** May change what is loaded. */
  readonly adjust?: (operator: OperatorConfig) => OperatorConfig
  /** Another host may use the same state folder, so decisions go to a file of this host alone. */
  readonly isReplaceable?: boolean
}

/**
 * Reads a configuration once and creates its host. Throws `CONFIG_INVALID` with the file and key that are wrong.
 */
export async function createConfiguredHost(
  options: HostOptions,
  { adjust = (operator) => operator, isReplaceable = false }: ConfiguredOptions = {},
): Promise<ConfiguredHost> {
  const read = options.config === undefined ? undefined : readConfig(options.config)
  const resolved = resolveHostSpec(options, read)
  const seams = isReplaceable ? { journal: 'run' as const } : {}
  const spec = { ...resolved, approvalSeams: { ...seams, ...resolved.approvalSeams } }
  const host = createHostOf(spec)
  try {
    inConfig(read && `${read.label}: defaults.profile`, () =>
      host.profiles.resolve(spec.defaultProfile),
    )
  } catch (error) {
    await host.close()
    throw error
  }
  const operator = adjust((read ?? NONE).operator)
  return {
    host,
    operator,
    secrets: spec.secrets,
    workspace: spec.workspace,
    async load(load = (source, given) => host.tools.load(source, given)) {
      const base = read?.folder ?? spec.workspace
      const { loaded, failures } = await loadConfigured(load, operator, base)
      return {
        loaded,
        failures: failures.map(({ source, error }) => ({
          source,
          error: read === undefined ? error : placeError(read.label, error),
        })),
      }
    },
  }
}

const NONE: ReadConfig = readConfig({})
