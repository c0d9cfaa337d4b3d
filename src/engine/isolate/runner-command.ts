import { ENV_INSIDE, NODE_INSIDE } from '../../sandbox/node-files.ts'
import { SECCOMP_FD, toRunnerArgs } from '../../sandbox/runner-walls.ts'
import { dataBytes, type RunnerLaunch } from './runner-launch.ts'

/** How to start a runner. */
export interface RunnerCommand {
  readonly file: string
  readonly args: readonly string[]
  /** Whom to start it as; undefined to stay who one is. */
  readonly user: number | undefined
  /** What it reads on descriptor 3 before it becomes Node; undefined for no such descriptor. */
  readonly seccomp: Uint8Array | undefined
}

const KB = 1_024
const NOFILE = 64
const NOT_TOLD = 125

/**
 * The command line of a runner: Node under rlimits set by the shell before Node exists, and inside of
 * bubblewrap where the launch has walls. With `waits` it starts once it has read a line on stdin.
 */
export function runnerCommand(
  spec: { readonly code: string; readonly launch: RunnerLaunch; readonly waits?: boolean },
  args: readonly string[],
): RunnerCommand {
  const { launch, code } = spec
  const { walls } = launch
  const options = [
    '--no-node-snapshot',
    // Otherwise that signal opens a debugger on a local port.
    '--disable-sigusr1',
    // Without it V8 compiles some loops without an interrupt check; nothing but a kill ends them.
    '--no-turboshaft-loop-unrolling',
    // Each context enters the same functions once: what was compiled for one is there for all.
    '--no-flush-bytecode',
    ...(launch.jit ? [] : ['--jitless']),
    '-e',
    code,
    ...args,
  ]
  const bare = { user: undefined, seccomp: undefined }
  if (process.platform === 'win32') return { file: process.execPath, args: options, ...bare }
  const script = [
    // So that it is in its cgroup before it is anything.
    ...(spec.waits === true ? [`read -r go || exit ${NOT_TOLD}`] : []),
    ...(walls?.strayFds ?? []).filter((fd) => fd > SECCOMP_FD).map((fd) => `exec ${fd}>&-`),
    `ulimit -c 0; ulimit -f 0; ulimit -n ${NOFILE}; ulimit -d ${dataBytes(launch) / KB}`,
    // A shell exports variables of its own.
    'exec env -i "$0" "$@"',
  ].join('; ')
  if (walls === undefined) {
    return { file: '/bin/sh', args: ['-c', script, process.execPath, ...options], ...bare }
  }
  const { bwrap, shell, user, seccomp } = walls
  // It takes a socket on stdin for somebody's remote login, whose start file it reads.
  const posix = shell === '/bin/sh' ? [] : ['--norc', '--posix']
  const emptied = walls.binds.some(({ to }) => to === ENV_INSIDE) ? [ENV_INSIDE, '-i'] : []
  const inner = [...toRunnerArgs(walls), '--', ...emptied, NODE_INSIDE, ...options]
  return { file: shell, args: [...posix, '-c', script, bwrap, ...inner], user, seccomp }
}
