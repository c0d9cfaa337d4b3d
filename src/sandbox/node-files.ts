import { execFile } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Bind } from './bwrap-args.ts'

/** Where a runner finds Node and the isolate library inside of its sandbox. */
export const NODE_INSIDE = '/caisson/node'
/** What empties the environment that bubblewrap begins; not there on every machine. */
export const ENV_INSIDE = '/caisson/env'
export const ADDON_INSIDE = '/caisson/isolated-vm.node'

/** How much of a program is searched for the name of its loader. */
const HEAD_BYTES = 8_192
const LIST_MS = 5_000
const LOADER = /\/[\w./-]*\/ld-[\w.-]+/
// `libc.so.6 => /lib/libc.so.6 (0x…)` or `/lib64/ld-linux-x86-64.so.2 (0x…)`
const LISTED = /(?:^|=> )\s*(\/\S+) \(0x/
const ENV = '/usr/bin/env'
const list = promisify(execFile)

/**
 * The files that Node and the isolate library are made of, and nothing else: the program, the addon,
 * and the libraries that the machine's loader names. Rejects where the loader cannot be asked.
 */
export async function findNodeFiles(node: string, addon: string): Promise<Bind[]> {
  const loader = findLoader(node)
  const libraries = new Set<string>()
  // A program without a loader needs no libraries.
  const env = findEnv()
  const programs = env === undefined ? [node, addon] : [node, addon, env]
  for (const file of loader === undefined ? [] : programs) {
    const { stdout } = await list(loader ?? '', ['--list', file], { env: {}, timeout: LIST_MS })
    for (const line of stdout.split('\n')) {
      const path = LISTED.exec(line)?.[1]
      if (path !== undefined) libraries.add(path)
    }
  }
  const bind = (from: string, to: string): Bind => ({
    from: realpathSync(from),
    to,
    writable: false,
  })
  return [
    ...[...libraries].toSorted().map((path) => bind(path, path)),
    bind(node, NODE_INSIDE),
    bind(addon, ADDON_INSIDE),
    ...(env === undefined ? [] : [bind(env, ENV_INSIDE)]),
  ]
}

/**
 * The file of the isolate library for this Node, without loading anything of it. `main` is the entry of
 * the library. Throws when there is none.
 */
export function locateAddon(main: string): string {
  const folder = dirname(main)
  const built = join(folder, 'build', 'Release')
  const shipped = join(folder, 'prebuilds', `${process.platform}-${process.arch}`)
  const abi = `.abi${process.versions.modules}.`
  const libc = existsSync('/etc/alpine-release') ? '.musl.' : '.glibc.'
  const fits = (name: string): boolean => name.includes(abi) && name.includes(libc)
  const found = [
    ...listAddons(built),
    ...listAddons(shipped).filter((file) => fits(basename(file))),
  ][0]
  if (found === undefined) throw new Error('the isolate library has no file for this machine')
  return found
}

function listAddons(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => (name.endsWith('.node') ? [join(folder, name)] : []))
}

// The one of several programs in a single file would bring all of them along.
function findEnv(): string | undefined {
  return existsSync(ENV) && basename(realpathSync(ENV)) === 'env' ? ENV : undefined
}

function findLoader(program: string): string | undefined {
  const file = openSync(program, 'r')
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    return LOADER.exec(head.toString('latin1', 0, readSync(file, head, 0, HEAD_BYTES, 0)))?.[0]
  } finally {
    closeSync(file)
  }
}
