import { readFileSync, readlinkSync } from 'node:fs'
import { OWN_NAMESPACES, ownUsers, type Bind } from './bwrap-args.ts'
import type { Unconfinable } from './confiner-reasons.ts'
import { findBwrap, type BwrapTools } from './find-bwrap.ts'
import { findNodeFiles } from './node-files.ts'

/** One way of confining a runner on this machine. */
export interface RunnerWalls extends BwrapTools {
  /** Node, its libraries and the isolate library: all there is on the disk of a runner. */
  readonly binds: readonly Bind[]
  /**
   * `users`: namespaces for users too. `privileged`: without, made by a host that is root, for files
   * that nobody else can read; the runner gives up its user by itself.
   */
  readonly kind: 'users' | 'privileged'
  /** Whom a host that is root starts it as; undefined to stay who one is. */
  readonly user: number | undefined
}

/** What to look for. */
export interface RunnerWallsSpec {
  /** Where programs are looked for, as in the variable of that name. */
  readonly path: string
  readonly node: string
  /** Finds the file of the isolate library; may throw. */
  addon(): string
}

/** Descriptor on which bwrap reads the filter of system calls. */
export const SECCOMP_FD = 3
/** Nobody: no file is theirs. */
const NOBODY = 65_534

/**
 * The ways in which a runner might be confined here, the best one first; none of them tried out.
 * Never rejects.
 */
export async function findRunnerWalls(
  spec: RunnerWallsSpec,
): Promise<readonly RunnerWalls[] | Unconfinable> {
  const tools = findBwrap(spec.path)
  if ('reason' in tools) return tools
  const isRoot = process.getuid?.() === 0
  try {
    const binds = await findNodeFiles(spec.node, spec.addon())
    const users: RunnerWalls = { ...tools, binds, kind: 'users', user: isRoot ? NOBODY : undefined }
    return isRoot ? [users, { ...tools, binds, kind: 'privileged', user: undefined }] : [users]
  } catch {
    const reason = 'the files that a runner is made of cannot be told'
    return { reason, hint: 'run the host on a Node that the loader of this machine can read' }
  }
}

/** The options of bwrap for one runner: nothing of its own, nothing to write, nobody to talk to; pure. */
export function toRunnerArgs({ kind, binds }: RunnerWalls): string[] {
  return [
    ...(kind === 'users' ? ownUsers(NOBODY) : []),
    ...OWN_NAMESPACES,
    ...['--cap-drop', 'ALL'],
    ...(kind === 'users' ? [] : ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']),
    ...binds.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...['--remount-ro', '/'],
    ...['--chdir', '/'],
    ...['--seccomp', `${SECCOMP_FD}`],
  ]
}

/** What a process lacks of what confines a runner, in words; undefined when it lacks nothing. */
export function findWallFault(pid: number): string | undefined {
  const status = readText(`/proc/${pid}/status`)
  const wanted: readonly [RegExp, string][] = [
    [/^NSpid:\t\d+\t\d+/m, 'it sees the processes of the machine'],
    [/^Seccomp:\t2$/m, 'no system call is refused to it'],
    [/^NoNewPrivs:\t1$/m, 'it can gain privileges'],
    [/^CapEff:\t0+$/m, 'it has capabilities'],
  ]
  const lacking = wanted.find(([pattern]) => !pattern.test(status))?.[1]
  return lacking ?? ['net', 'mnt', 'ipc'].flatMap((name) => sharedNamespace(pid, name))[0]
}

// Who may not look is told nothing; the rest says enough then.
function sharedNamespace(pid: number, name: string): string[] {
  try {
    const theirs = readlinkSync(`/proc/${pid}/ns/${name}`)
    return theirs === readlinkSync(`/proc/self/ns/${name}`) ? [`it has the host's own ${name}`] : []
  } catch {
    return []
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // It ended while we looked.
  }
}
