import { dirname, resolve } from 'node:path'
import { fileSchema } from '../config/file-schema.ts'
import { toIssueTexts } from '../config/issue-text.ts'
import { inConfig } from '../config/in-config.ts'
import { operatorSchema, type OperatorConfig } from '../config/operator-schema.ts'
import { readJsonc } from '../config/parse-jsonc.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { findProtoKey } from '../json/proto-key.ts'
import { loadProfiles, type Profiles } from '../sandbox/load-profiles.ts'
import { profileSchema } from '../sandbox/profile-schema.ts'
import type { HostOptions } from './spec.ts'

/** Options that come from a file or an object of that shape; where it says folders, they are absolute. */
export interface ReadConfig {
  readonly options: HostOptions
  /** Tool sources, servers and how they are served. */
  readonly operator: OperatorConfig
  /** What errors call it. */
  readonly label: string
  /** Folder that relative paths of servers start in; undefined for an object. */
  readonly folder: string | undefined
}

/**
 * Reads `caisson.config.json`, or takes the object of one. Paths in a file are relative to its folder.
 * Throws `CONFIG_INVALID` for a file that is missing or is no JSON object, and naming every wrong key.
 */
export function readConfig(config: string | object): ReadConfig {
  if (typeof config !== 'string') {
    checkKeys(config, 'config')
    return { ...parseKeys(config, 'config'), label: 'config', folder: undefined }
  }
  const parsed = readJsonc(config, 'config')
  checkKeys(parsed, `config ${config}`)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw invalid(config, 'it must hold a JSON object')
  }
  const folder = dirname(resolve(config))
  const at = (path: unknown): unknown => (typeof path === 'string' ? resolve(folder, path) : path)
  const { options: given, operator } = parseKeys(parsed, config)
  const options: Record<string, unknown> = { ...given }
  for (const key of ['workspace', 'stateDir']) {
    if (Object.hasOwn(options, key)) options[key] = at(options[key])
  }
  if (Array.isArray(options['profiles'])) options['profiles'] = options['profiles'].map(at)
  checkProfiles(options, config)
  return {
    options: options as HostOptions,
    operator: withFolder(operator, folder),
    label: config,
    folder,
  }
}

/** The shipped profiles and those of a configuration. Throws `CONFIG_INVALID`. */
export function toProfiles({ profiles = [] }: Pick<HostOptions, 'profiles'>): Profiles {
  return loadProfiles(
    profiles.filter((entry) => typeof entry === 'string'),
    profiles.filter((entry) => typeof entry !== 'string'),
  )
}

function checkKeys(value: unknown, where: string): void {
  const found = findProtoKey(value)
  if (found === undefined) return
  throw new CaissonError('CONFIG_INVALID', `${where}: ${found}: unknown key`, { config: where })
}

function invalid(path: string, problem: string): CaissonError {
  return new CaissonError('CONFIG_INVALID', `config ${path}: ${problem}`, { config: path })
}

// Those of a folder are checked as well: what is wrong with them is found where the file is read.
function checkProfiles({ profiles = [] }: HostOptions, label: string): void {
  const texts = profiles.flatMap((profile, index) => {
    if (typeof profile === 'string') return []
    const { error } = profileSchema.safeParse(profile)
    if (error === undefined) return []
    return toIssueTexts(error, profileSchema).map((text) => `profiles.${index}.${text}`)
  })
  if (texts.length > 0) throw new CaissonError('CONFIG_INVALID', `${label}: ${texts.join('; ')}`)
  inConfig(label, () => toProfiles({ profiles }))
}

function parseKeys(given: object, label: string): Pick<ReadConfig, 'options' | 'operator'> {
  const parsed = fileSchema.safeParse(given)
  if (!parsed.success) {
    const text = toIssueTexts(parsed.error, fileSchema).join('; ')
    throw new CaissonError('CONFIG_INVALID', `${label}: ${text}`)
  }
  const { $schema, sources, mcpServers, serve, ...options } = given as Record<string, unknown>
  const own = { $schema, sources, mcpServers, serve }
  const present = Object.entries(own).filter(([, value]) => value !== undefined)
  return { options, operator: operatorSchema.parse(Object.fromEntries(present)) }
}

// A source in a file is found from that file, wherever the command runs.
function withFolder(operator: OperatorConfig, folder: string): OperatorConfig {
  const place = (source: string): string =>
    /^[a-z]+:|^builtin$/.test(source) ? source : resolve(folder, source)
  return {
    ...operator,
    sources: operator.sources.map((entry) =>
      typeof entry === 'string' ? place(entry) : { ...entry, source: place(entry.source) },
    ),
  }
}
