import type { Segment } from './atoms.ts'
import { foldName } from '../../../sandbox/fold-name.ts'
import { couldBe } from './match.ts'

/** A listed place: its folded names from the root down. */
export type Tree = readonly string[]

const HOME_STORES = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.password-store', '.config/gcloud'],
  ...['.config/gh', '.docker/config.json', '.netrc', '.npmrc', '.pypirc', '.pgpass', '.my.cnf'],
  ...['.git-credentials', '.vault-token', '.cargo/credentials', '.cargo/credentials.toml'],
].map(toTree)
const SYSTEM_STORES = [
  ...['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/sudoers.d', '/etc/ssl/private'],
  ...['/run/secrets', '/var/run/secrets', '/private/etc/sudoers', '/private/etc/ssl/private'],
].map(toTree)
const SYSTEM_TREES = [
  ...['/etc', '/bin', '/sbin', '/usr', '/lib', '/lib32', '/lib64', '/boot', '/sys', '/proc'],
  ...['/root', '/var', '/run', '/srv', '/System', '/Library', '/Applications'],
  ...['/private/etc', '/private/var'],
].map(toTree)
const HOME_TREES = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.zshrc', '.zshenv'],
  ...['.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc', '.login', '.inputrc'],
  ...['.xprofile', '.xinitrc', '.config/fish', '.config/autostart', '.config/systemd'],
  ...['.local/bin', 'Library/LaunchAgents'],
].map(toTree)
const MAGIC_NAMES = ['root', 'cwd', 'fd', 'map_files', 'exe', 'environ', 'mem', 'task']
const STREAMS: ReadonlySet<string> = new Set(
  [
    ...['null', 'zero', 'full', 'tty', 'random', 'urandom', 'stdin', 'stdout', 'stderr'],
    ...['fd/0', 'fd/1', 'fd/2'],
  ].map((name) => `/dev/${name}`),
)
const ETC_SSH = toTree('/etc/ssh')

/** The listed places of one machine and home. */
export interface Places {
  readonly stores: readonly Tree[]
  readonly critical: readonly Tree[]
  readonly homes: readonly Tree[]
}

/** The places for a home folder in all its spellings. */
export function createPlaces(homes: readonly string[]): Places {
  const trees = homes.map(toTree)
  const below = (names: readonly Tree[]): readonly Tree[] =>
    trees.flatMap((home) => names.map((name) => [...home, ...name]))
  return {
    stores: [...below(HOME_STORES), ...SYSTEM_STORES],
    critical: [...below(HOME_TREES), ...SYSTEM_TREES],
    homes: trees,
  }
}

/** An absolute or relative path as folded names. */
export function toTree(path: string): Tree {
  return path
    .split('/')
    .filter((name) => name !== '')
    .map(foldName)
}

/** Whether a path could be the place or something below it. */
export function isWithin(path: readonly Segment[], tree: Tree): boolean {
  if (path.length < tree.length) return false
  return tree.every((name, index) => couldBe(path[index] ?? '', name))
}

/** Whether a path could be the place itself or a folder above it. */
export function isAtOrAbove(path: readonly Segment[], tree: Tree): boolean {
  if (path.length > tree.length) return false
  return path.every((segment, index) => couldBe(segment, tree[index] ?? ''))
}

/** Whether a path lies in a credential store. */
export function isInStore(path: readonly Segment[], places: Places): boolean {
  if (places.stores.some((store) => isWithin(path, store))) return true
  const key = path[ETC_SSH.length]
  if (key === undefined || !isWithin(path, ETC_SSH)) return false
  return typeof key === 'string' ? foldName(key).endsWith('_key') : true
}

/** Public keys and known hosts in the key folder of a home, spelled out. */
export function isPublicKey(path: readonly Segment[], places: Places): boolean {
  return places.homes.some((home) => {
    const folder = path[home.length]
    const name = path[home.length + 1]
    if (path.length !== home.length + 2 || !isWithin(path, home)) return false
    if (folder !== '.ssh' || typeof name !== 'string') return false
    return name.endsWith('.pub') || name === 'known_hosts'
  })
}

/** A path of the process file system that stands for something else. */
export function isMagic(path: readonly Segment[]): boolean {
  const [first, , name] = path
  if (first === undefined || name === undefined || !couldBe(first, 'proc')) return false
  return MAGIC_NAMES.some((magic) => couldBe(name, magic))
}

/** Devices that stand for a stream and are never a target. */
export function isStream(path: string): boolean {
  return STREAMS.has(path)
}

/** Whether a path lies below the devices. */
export function isDevice(path: readonly Segment[]): boolean {
  const first = path[0]
  return path.length > 1 && first !== undefined && couldBe(first, 'dev')
}
