import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { McpServerEntry } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { toGrantedFolders } from '../sandbox/granted-folders.ts'
import type { SandboxProfile } from '../types/profile.ts'

/** What a server is started with, as it is seen inside its sandbox. */
export interface ServerCommand {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** Absolute folder of the server's own files on the host; `/package` inside. */
  readonly root: string
}

/** Where a server runs, and what it is shown there. */
export interface ServerPlace {
  /** Folder that relative paths of the entry start in. */
  readonly base: string
  readonly workspace: string
  readonly profile: Pick<SandboxProfile, 'fs' | 'confinement'>
}

/**
 * Finds a server's program. Paths of the host in its arguments and environment that the server is
 * shown become those inside its sandbox; `npx <package>` means the package that is installed there,
 * since nothing can be fetched. Throws `CONFIG_INVALID`.
 */
export function resolveCommand(
  name: string,
  { command, args = [], env = {}, cwd }: McpServerEntry,
  place: ServerPlace,
): ServerCommand {
  if (command === undefined) throw invalid(name, 'it has no command')
  const root = resolve(place.base, cwd ?? '.')
  if (!existsSync(root)) throw invalid(name, `cwd: there is no folder ${root}`)
  const [program, ...rest] = isNpx(command) ? fromNpx(name, args, root) : [command, ...args]
  const shown = place.profile.confinement === 'none' ? [] : listShown(place, root)
  // A program starts in another folder: names of its own files become whole ones.
  const inside = (text: string): string => {
    const named = isAbsolute(text) || !isFileOf(root, text) ? text : resolve(root, text)
    return toInside(named, shown)
  }
  const variables = Object.entries(env).map(([key, value]) => [key, toInside(value, shown)])
  return {
    argv: [inside(program), ...rest.map(inside)],
    env: Object.fromEntries(variables) as Record<string, string>,
    root: realpathSync(root),
  }
}

function isNpx(command: string): boolean {
  return /(^|[\\/])npx(\.cmd)?$/.test(command)
}

function fromNpx(name: string, args: readonly string[], root: string): [string, ...string[]] {
  const at = args.findIndex((arg) => !arg.startsWith('-'))
  const wanted = args[at]
  if (wanted === undefined) throw invalid(name, 'npx without a package')
  const bare = wanted.replace(/(?<=.)@[^/@]*$/, '')
  const manifest = join(root, 'node_modules', bare, 'package.json')
  const bin = existsSync(manifest) ? readBin(manifest, bare) : undefined
  if (bin === undefined) {
    const why = `npx cannot fetch '${wanted}' inside the sandbox; install it in ${root} first`
    throw invalid(name, why)
  }
  return ['node', join(root, 'node_modules', bare, bin), ...args.slice(at + 1)]
}

function readBin(manifest: string, bare: string): string | undefined {
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    bin?: string | Record<string, string>
  }
  if (typeof bin === 'string') return bin
  const short = bare.split('/').at(-1) ?? bare
  return bin?.[short] ?? Object.values(bin ?? {})[0]
}

interface ShownFolder {
  readonly from: string
  readonly to: string
}

// A folder of the workspace may be granted to be written; the package is only ever read.
function listShown({ workspace, profile }: ServerPlace, root: string): ShownFolder[] {
  const granted = toGrantedFolders(profile.fs).filter((folder) => folder.root === 'workspace')
  return [
    ...granted.map(({ path }) => ({ from: join(workspace, path), to: join('/workspace', path) })),
    { from: root, to: '/package' },
  ]
}

function toInside(text: string, shown: readonly ShownFolder[]): string {
  if (!isAbsolute(text)) return text
  for (const { from, to } of shown) {
    const below = relative(from, text)
    if (below === '' || (!below.startsWith('..') && !isAbsolute(below))) return join(to, below)
  }
  return text
}

// A plain word is no path, even where a file is called so.
function isFileOf(root: string, text: string): boolean {
  return /[./\\]/.test(text) && !text.startsWith('-') && existsSync(resolve(root, text))
}

function invalid(name: string, why: string): CaissonError {
  return new CaissonError('CONFIG_INVALID', `mcpServers.${name}: ${why}`, { source: name })
}
