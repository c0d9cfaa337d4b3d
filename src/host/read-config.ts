import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import { findProtoKey } from '../json/proto-key.ts'
import type { HostOptions } from './spec.ts'

/** Options that come from a file or an object of that shape; where it says folders, they are absolute. */
export interface ReadConfig {
  readonly options: HostOptions
  /** What errors call it. */
  readonly label: string
}

/**
 * Reads `caisson.config.json`, or takes the object of one. Paths in a file are relative to its folder.
 * Throws `CONFIG_INVALID` for a file that is missing or is no JSON object; the keys are not checked.
 */
export function readConfig(config: string | object): ReadConfig {
  if (typeof config !== 'string') {
    checkKeys(config, 'config')
    return { options: config as HostOptions, label: 'config' }
  }
  const parsed = parseFile(config)
  checkKeys(parsed, `config ${config}`)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw invalid(config, 'it must hold a JSON object')
  }
  const folder = dirname(resolve(config))
  const at = (path: unknown): unknown => (typeof path === 'string' ? resolve(folder, path) : path)
  const options: Record<string, unknown> = { ...parsed }
  for (const key of ['workspace', 'stateDir']) {
    if (Object.hasOwn(options, key)) options[key] = at(options[key])
  }
  if (Array.isArray(options['profiles'])) options['profiles'] = options['profiles'].map(at)
  return { options: options as HostOptions, label: config }
}

function checkKeys(value: unknown, where: string): void {
  const found = findProtoKey(value)
  if (found === undefined) return
  throw new CaissonError('CONFIG_INVALID', `${where}: ${found}: unknown key`, { config: where })
}

function parseFile(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw invalid(path, code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(path, `no valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
}

function invalid(path: string, problem: string): CaissonError {
  return new CaissonError('CONFIG_INVALID', `config ${path}: ${problem}`, { config: path })
}
