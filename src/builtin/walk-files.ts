import createIgnore, { type Ignore } from 'ignore'
import { isCaissonError } from '../errors/caisson-error.ts'
import { listFolder } from '../broker/fs/list-folder.ts'
import type { FsScene } from '../broker/fs/reach.ts'
import { peekFile } from '../broker/fs/read-file.ts'

/** What a walk leaves out. */
interface WalkOptions {
  /** Also what the ignore files of version control leave out. */
  readonly includeIgnored: boolean
}

interface Rules {
  /** Folder below the start that the rules are in, with a slash at its end; empty for the start. */
  readonly base: string
  readonly rules: Ignore
}

const ALWAYS_LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules'])
const MAX_DEPTH = 40
const MAX_RULES = 2_000
const MAX_GLOB = 200
const MAX_STARS = 3

/** Whether matching a glob cannot take long: each further star in a segment multiplies the work. */
export function isCheapGlob(glob: string): boolean {
  if (glob.length > MAX_GLOB) return false
  const segments = glob.split('/').filter((segment) => segment !== '**')
  if (glob.split('/').length - segments.length > MAX_STARS) return false
  return segments.every((segment) => (segment.match(/[*+]/g)?.length ?? 0) <= MAX_STARS)
}

/**
 * The files below a folder in order of their names, as paths below the workspace; links are not
 * followed. What may not be read is left out.
 */
export async function* walkFiles(
  scene: FsScene,
  folder: string,
  { includeIgnored }: WalkOptions,
): AsyncGenerator<string, void, void> {
  yield* walk(folder === '' ? '' : `${folder}/`, [], 0)

  async function* walk(
    prefix: string,
    above: readonly Rules[],
    depth: number,
  ): AsyncGenerator<string, void, void> {
    if (depth > MAX_DEPTH) return
    const entries = await tryList(scene, prefix, depth === 0)
    const own = includeIgnored ? undefined : await readRules(scene, prefix, entries)
    const rules = own === undefined ? above : [...above, own]
    for (const { name, type } of entries) {
      const path = `${prefix}${name}`
      if (type !== 'file' && type !== 'directory') continue
      if (!includeIgnored && (ALWAYS_LEFT_OUT.has(name) || isIgnored(path, type, rules))) continue
      if (type === 'file') yield path
      else yield* walk(`${path}/`, rules, depth + 1)
    }
  }
}

async function tryList(
  scene: FsScene,
  prefix: string,
  isStart: boolean,
): ReturnType<typeof listFolder> {
  try {
    return await listFolder(scene, `workspace:/${prefix.replace(/\/$/, '')}`, false)
  } catch (error) {
    // A folder that went away, or may not be seen, ends nothing; the one asked for does.
    if (isStart || !isLeftOut(error)) throw error
    return []
  }
}

function isLeftOut(error: unknown): boolean {
  if (isCaissonError(error)) return error.code.startsWith('FS_')
  return typeof Reflect.get(Object(error), 'code') === 'string'
}

async function readRules(
  scene: FsScene,
  prefix: string,
  entries: readonly { readonly name: string; readonly type: string }[],
): Promise<Rules | undefined> {
  if (!entries.some(({ name, type }) => name === '.gitignore' && type === 'file')) return undefined
  try {
    const { bytes } = await peekFile(scene, `workspace:/${prefix}.gitignore`)
    const lines = bytes.toString('utf8').split('\n').slice(0, MAX_RULES)
    return { base: prefix, rules: createIgnore().add(lines.filter(isCheapGlob)) }
  } catch {
    return undefined // Not readable: nothing is left out because of it.
  }
}

function isIgnored(path: string, type: string, all: readonly Rules[]): boolean {
  let ignored = false
  for (const { base, rules } of all) {
    const inside = `${path.slice(base.length)}${type === 'directory' ? '/' : ''}`
    const said = rules.test(inside)
    if (said.ignored) ignored = true
    else if (said.unignored) ignored = false
  }
  return ignored
}
