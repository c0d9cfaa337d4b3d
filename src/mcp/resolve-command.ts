import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { McpServerEntry } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'

/** What a server is started with, as it is seen inside its sandbox. */
export interface ServerCommand {
  readonly argv: readonly [string, ...string[]]
  /** Absolute folder of the server's own files on the host; `/package` inside. */
  readonly root: string
}

const INSIDE = '/package'

/**
 * Finds a server's program. Paths below its folder become those inside the sandbox; `npx <package>`
 * means the package that is installed there, since nothing can be fetched. Throws `CONFIG_INVALID`.
 */
export function resolveCommand(
  name: string,
  { command, args = [], cwd }: McpServerEntry,
  base: string,
): ServerCommand {
  if (command === undefined) throw invalid(name, 'it has no command')
  const root = resolve(base, cwd ?? '.')
  if (!existsSync(root)) throw invalid(name, `cwd: there is no folder ${root}`)
  const [program, ...rest] = isNpx(command) ? fromNpx(name, args, root) : [command, ...args]
  const inside = (text: string): string => toInside(text, root)
  return { argv: [inside(program), ...rest.map(inside)], root: realpathSync(root) }
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

function toInside(text: string, root: string): string {
  if (!isAbsolute(text) && !isFileOf(root, text)) return text
  const below = relative(root, resolve(root, text))
  return below === '' || (!below.startsWith('..') && !isAbsolute(below))
    ? join(INSIDE, below)
    : text
}

// The program starts in another folder; a plain word is no path, even where a file is called so.
function isFileOf(root: string, text: string): boolean {
  return /[./\\]/.test(text) && !text.startsWith('-') && existsSync(resolve(root, text))
}

function invalid(name: string, why: string): CaissonError {
  return new CaissonError('CONFIG_INVALID', `mcpServers.${name}: ${why}`, { source: name })
}
