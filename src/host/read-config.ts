import { dirname, resolve } from 'node:path'
import { fileSchema } from '../config/file-schema.ts'
import { toIssueTexts } from '../config/issue-text.ts'
import { operatorSchema, type OperatorConfig } from '../config/operator-schema.ts'
import { readJsonc } from '../config/parse-jsonc.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { findProtoKey } from '../json/proto-key.ts'
import type { HostOptions } from './spec.ts'

/** Options that come from a file or an object of that shape; where it says folders, they are absolute. */
export interface ReadConfig {
  readonly options: HostOptions
  /** Tool sources, servers and how they are served. */
  readonly operator: OperatorConfig
  /** What errors call it. */
  readonly label: string
}

/**
 * Reads `caisson.config.json`, or takes the object of one. Paths in a file are relative to its folder.
 * Throws `CONFIG_INVALID` for a file that is missing or is no JSON object, and naming every wrong key.
 */
export function readConfig(config: string | object): ReadConfig {
  if (typeof config !== 'string') {
    checkKeys(config, 'config')
    return { ...parseKeys(config, 'config'), label: 'config' }
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
  return { options: options as HostOptions, operator: withFolder(operator, folder), label: config }
}

/** What `read` gives; a `CONFIG_INVALID` of it names the file that the settings come from. */
export function inFile<T>(file: string | undefined, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (file === undefined || !isCaissonError(error) || error.code !== 'CONFIG_INVALID') throw error
    throw new CaissonError(error.code, `${file}: ${error.message}`, error.facts)
  }
}

function checkKeys(value: unknown, where: string): void {
  const found = findProtoKey(value)
  if (found === undefined) return
  throw new CaissonError('CONFIG_INVALID', `${where}: ${found}: unknown key`, { config: where })
}

function invalid(path: string, problem: string): CaissonError {
  return new CaissonError('CONFIG_INVALID', `config ${path}: ${problem}`, { config: path })
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
