import type { FileIdentity } from './file-identity.ts'
import type { HostLayout } from './host-layout.ts'

/** A file or folder of the host that a sandbox gets, by its path there. */
export interface Bind {
  readonly from: string
  readonly to: string
  readonly writable: boolean
  /** What was found there when it was judged; the program does not start with anything else. */
  readonly identity?: FileIdentity
}

/** A path inside the sandbox that is covered, whatever is there on the host. */
export interface Cover {
  readonly path: string
  /**
   * `closed`: it cannot be opened. `empty`: it holds nothing, whatever comes to lie there. `readOnly`:
   * its content shows, and cannot be changed.
   */
  readonly kind: 'closedFile' | 'closedFolder' | 'emptyFolder' | 'readOnly'
  /** What shows, for `readOnly`. */
  readonly from?: string
  /** The same for what shows. */
  readonly identity?: FileIdentity
  /** And for the folder that the name was found in: covered is that one, whatever it is called. */
  readonly parent?: FileIdentity
}

/** Bytes that a sandbox finds as a file, whatever is there on the host. */
export interface BoundFile {
  readonly to: string
  readonly bytes: Uint8Array
}

/** Everything a sandbox is made of. The environment is the one that bwrap itself is started with. */
export interface BwrapSpec {
  readonly layout: HostLayout
  readonly binds: readonly Bind[]
  /** By path; on top of the binds. The content of each comes on the descriptor of that place in `fds`. */
  readonly files?: readonly BoundFile[]
  /** Applied after the binds, in order. */
  readonly covers: readonly Cover[]
  /** Of /tmp, the home folder and /dev/shm, each. */
  readonly tmpfsBytes: number
  readonly cwd: string
  readonly fds: BwrapFds
}

/** Descriptors of bwrap's own; the program inherits none of them. */
export interface BwrapFds {
  /** What /etc/passwd, /etc/group and /etc/hosts hold. */
  readonly passwd: number
  readonly group: number
  readonly hosts: number
  readonly files: readonly number[]
  readonly seccomp: number
  /** Tells the id of the sandbox's first process. */
  readonly status: number
  /** The program is not started before something arrives here. */
  readonly block: number
}

/** Who a confined program is, and where it lives. */
export const SANDBOX_ID = 1_000
export const SANDBOX_HOME = '/home/tool'
const SHM_PERMS = '1777'
const FILE_PERMS = '0555'

/** The options of one sandbox, closed as far as the namespaces of Linux go; pure. */
export function toBwrapArgs(spec: BwrapSpec): string[] {
  return [
    ...NAMESPACES,
    ...systemArgs(spec),
    ...procArgs(spec.layout),
    ...devArgs(spec),
    ...tmpfs(spec, '/tmp', SHM_PERMS),
    ...tmpfs(spec, SANDBOX_HOME, '0700'),
    ...spec.binds.flatMap(({ from, to, writable }) => [
      writable ? '--bind' : '--ro-bind',
      from,
      to,
    ]),
    ...(spec.files ?? []).flatMap(({ to }, at) => [
      ...['--perms', FILE_PERMS],
      ...['--ro-bind-data', `${spec.fds.files[at]}`, to],
    ]),
    ...spec.covers.flatMap(coverArgs),
    ...['--remount-ro', '/'],
    ...['--chdir', spec.cwd],
    ...['--seccomp', `${spec.fds.seccomp}`],
    ...['--json-status-fd', `${spec.fds.status}`],
    ...['--block-fd', `${spec.fds.block}`],
  ]
}

/** What every sandbox has of its own, besides its users. */
export const OWN_NAMESPACES: readonly string[] = [
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup',
  ...['--hostname', 'caisson'],
  '--new-session',
  '--die-with-parent',
]

/** Users of its own: it is `id` there, and nobody inside can make further namespaces. */
export function ownUsers(id: number): string[] {
  return ['--unshare-user', '--disable-userns', '--uid', `${id}`, '--gid', `${id}`]
}

const NAMESPACES = [
  ...ownUsers(SANDBOX_ID),
  ...OWN_NAMESPACES,
  // The first process is ours: when it ends the kernel has ended all others before.
  '--as-pid-1',
  ...['--cap-drop', 'ALL'],
]

function systemArgs({ layout, fds }: BwrapSpec): string[] {
  return [
    ...layout.folders.flatMap((path) => ['--ro-bind', path, path]),
    ...layout.links.flatMap(([path, target]) => ['--symlink', target, path]),
    ...layout.files.flatMap((path) => ['--ro-bind', path, path]),
    ...['--ro-bind-data', `${fds.passwd}`, '/etc/passwd'],
    ...['--ro-bind-data', `${fds.group}`, '/etc/group'],
    ...['--ro-bind-data', `${fds.hosts}`, '/etc/hosts'],
  ]
}

function procArgs(layout: HostLayout): string[] {
  return [
    ...['--proc', '/proc'],
    ...layout.readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...layout.hiddenFiles.flatMap(closedFile),
    ...layout.hiddenFolders.flatMap(closedFolder),
  ]
}

function devArgs(spec: BwrapSpec): string[] {
  return ['--dev', '/dev', ...tmpfs(spec, '/dev/shm', SHM_PERMS), '--remount-ro', '/dev']
}

function tmpfs({ tmpfsBytes }: BwrapSpec, path: string, perms: string): string[] {
  return ['--perms', perms, '--size', `${tmpfsBytes}`, '--tmpfs', path]
}

function coverArgs({ kind, path, from = path }: Cover): string[] {
  if (kind === 'readOnly') return ['--ro-bind', from, path]
  if (kind === 'emptyFolder') return fixedFolder(path, '0555')
  return kind === 'closedFile' ? closedFile(path) : closedFolder(path)
}

// A device in a place without devices: every try to open it is EACCES.
function closedFile(path: string): string[] {
  return ['--ro-bind', '/dev/null', path]
}

function closedFolder(path: string): string[] {
  return fixedFolder(path, '0000')
}

function fixedFolder(path: string, perms: string): string[] {
  return ['--perms', perms, '--tmpfs', path, '--remount-ro', path]
}
