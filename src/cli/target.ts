import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import { loadFailed } from '../loader/load-failed.ts'
import { toHint } from '../policies/auto-approval/config/resolve.ts'
import { placeNames } from './tools-option.ts'

/** What a command line names. */
export interface Target {
  /** Whether what the configuration loads is loaded as well. */
  readonly isConfigured: boolean
  readonly sources: readonly string[]
  readonly tool?: string
}

export interface TargetOptions {
  readonly source: string | undefined
  readonly tool: string | undefined
  /** Pack that comes with the host. */
  readonly tools?: string
  readonly config?: string
}

/**
 * Tells sources from names of tools: what looks like a path, or is there, is a source; anything else
 * is a tool of the configuration. Throws `CONFIG_INVALID` when nothing is named, `LOAD_FAILED` for a
 * name without a configuration that could have it.
 */
export function resolveTarget(command: string, options: TargetOptions, workspace: string): Target {
  const { config, tools: pack } = options
  const packs = pack === undefined ? [] : [pack]
  const isAlone = options.tool === undefined && options.source !== undefined
  if (config !== undefined && (options.source === undefined || isAlone)) {
    const { source: first } = options
    if (first === undefined && pack !== undefined) return { isConfigured: false, sources: packs }
    if (first === undefined) return { isConfigured: true, sources: [] }
    if (!isSource(first, workspace)) return { isConfigured: true, sources: packs, tool: first }
  }
  const { source, tool } = placeNames(options.source, options.tool, pack)
  if (source === undefined && pack === undefined) throw nothingNamed(command)
  if (source !== undefined && isAlone && !isSource(source, workspace)) throw unknownName(source)
  const sources = [...packs, ...(source === undefined ? [] : [source])]
  return { isConfigured: false, sources, ...(tool === undefined ? {} : { tool }) }
}

const CONFIG_FILE = 'caisson.config.json'

/** What a command says that was given neither sources nor a configuration. */
export function nothingNamed(command: string, packs = '--tools builtin'): CaissonError {
  const here = existsSync(CONFIG_FILE)
    ? `; ${CONFIG_FILE} is here, and used only with --config ${CONFIG_FILE}`
    : ''
  const text = `${command}: name a source, ${packs} or --config${here}`
  return new CaissonError('CONFIG_INVALID', text)
}

/** Chooses among tools by name. Throws `UNKNOWN_TOOL`, or `CONFIG_INVALID` when it has to be named. */
export function chooseTool(
  tool: string | undefined,
  known: readonly string[],
  shown: string,
): string {
  const [only] = known
  if (tool === undefined) {
    if (only !== undefined && known.length === 1) return only
    const text = `${shown} has ${known.length} tools; name one of: ${known.join(', ')}`
    throw new CaissonError('CONFIG_INVALID', text, { known: [...known] })
  }
  if (known.includes(tool)) return tool
  throw unknownTool(`there is no tool '${tool}' in ${shown}`, tool, known)
}

/** The error for a name that no source and no tool has; names the one that may be meant. */
export function unknownTool(text: string, tool: string, known: readonly string[]): CaissonError {
  const hint = toHint(tool, known)
  const listed = hint === '' || known.length <= LISTED ? `; it has: ${list(known)}` : ''
  return new CaissonError('UNKNOWN_TOOL', `${text}${hint}${listed}`, { known: [...known] })
}

const LISTED = 20

function list(known: readonly string[]): string {
  const shown = known.slice(0, LISTED).join(', ')
  const rest = known.length - LISTED
  return rest > 0 ? `${shown} and ${rest} more` : shown || 'none'
}

const PATH_LIKE = /[/\\]|^\.|^[a-z][a-z\d+-]+:|\.(?:[cm]?[jt]sx?|json|node)$|^builtin$/i

function isSource(name: string, workspace: string): boolean {
  return PATH_LIKE.test(name) || existsSync(resolve(workspace, name))
}

function unknownName(name: string): CaissonError {
  return loadFailed(name, ['no such file or directory; the name of a tool goes with --config'])
}
