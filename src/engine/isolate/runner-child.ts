import { spawn, type ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Cgroup } from '../../sandbox/cgroup.ts'
import { createMark, endMarked } from '../../sandbox/orphans.ts'
import { childrenOf, sendSignal, untilGone } from '../../sandbox/process-tree.ts'
import { SECCOMP_FD } from '../../sandbox/runner-walls.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { runnerCommand } from './runner-command.ts'
import type { RunnerLaunch } from './runner-launch.ts'

/** The processes of one runner: Node, and what confines it. */
export interface RunnerChild {
  /** Id of the process that this host started. */
  readonly pid: number | undefined
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Id of the process that is Node; undefined while there is none. */
  node(): number | undefined
  /** Ends all of them at once. */
  kill(): void
  /** Resolves once all of them are dead and their pipes are empty, or a moment after their end. */
  readonly ended: Promise<Partial<EngineDeath>>
  readonly isDead: boolean
}

export interface RunnerChildSpec {
  readonly code: string
  readonly launch: RunnerLaunch
  /** Arguments of the runner. */
  readonly args: readonly string[]
  /** Holds it from its first instruction on. */
  readonly group?: Cgroup | undefined
}

/** How long after its end what is still in the pipes of a runner is waited for. */
const DRAIN_MS = 100
/** How long bwrap may take to notice the end of what it confines. */
const NOTICE_MS = 300
const CONFIRM_MS = 1_000
const SIGNAL_BASE = 128
const KILLED = 9
const SIGNALS: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  [KILLED]: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
}

/** Starts a runner with an empty environment and nothing but its three pipes. Never throws. */
export function startRunnerChild(spec: RunnerChildSpec): RunnerChild {
  const mark = createMark()
  const waits = spec.group !== undefined
  const command = runnerCommand({ ...spec, waits }, [mark, ...spec.args])
  const walled = spec.launch.walls !== undefined
  const { user, seccomp } = command
  const child = spawn(command.file, [...command.args], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'pipe', ...(seccomp === undefined ? [] : ['pipe' as const])],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
  const { stdin, stdout, stderr } = child as ChildProcess & Pipes
  stdin.on('error', () => undefined) // EPIPE of a dead runner; its exit tells the cause.
  giveFilter(child, seccomp)
  let isDead = false
  let root: number | undefined
  let node: number | undefined
  const ended = untilEnded(child, () => (isDead = true)).then(async (seen) => {
    if (!walled) return seen
    // Ended from outside, bwrap takes the others with it, but does not wait for them; and one that it
    // had only just made does not notice.
    if (seen.signal !== undefined && root !== undefined) await untilGone(root, CONFIRM_MS)
    else if (seen.signal !== undefined) await endMarked(mark, CONFIRM_MS)
    return toInnerEnd(seen)
  })
  // Asked for anew each time: an id that was given anew is somebody else's child.
  const first = (): number | undefined => {
    const inner = child.pid === undefined || isDead ? undefined : childrenOf(child.pid)[0]
    root ??= inner
    return inner
  }
  if (spec.group !== undefined) void join(spec.group, child, stdin)
  return {
    pid: child.pid,
    stdin,
    stdout,
    stderr,
    ended,
    get isDead() {
      return isDead
    },
    node() {
      if (!walled) return child.pid
      const outer = node === undefined ? first() : undefined
      return (node ??= outer === undefined ? undefined : childrenOf(outer)[0])
    },
    kill() {
      const inner = walled ? first() : undefined
      if (inner === undefined) return void child.kill('SIGKILL')
      // The first process of a namespace: the kernel ends all others, and only then lets bwrap know.
      sendSignal(inner, 'SIGKILL')
      setTimeout(() => isDead || child.kill('SIGKILL'), NOTICE_MS).unref()
    },
  }
}

interface Pipes {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

function giveFilter(child: ChildProcess, seccomp: Uint8Array | undefined): void {
  if (seccomp === undefined) return
  const pipe = child.stdio[SECCOMP_FD] as Writable | undefined
  pipe?.on('error', () => undefined) // Its exit tells the cause.
  pipe?.end(seccomp)
}

// What could not be put into its group is not let go.
async function join(group: Cgroup, child: ChildProcess, stdin: Writable): Promise<void> {
  try {
    await group.add(child.pid ?? 0)
    stdin.write('go\n')
  } catch {
    child.kill('SIGKILL')
  }
}

/** What bwrap says of the end of what it confined: exit codes above 128 are signals. */
function toInnerEnd({ exitCode, ...seen }: Partial<EngineDeath>): Partial<EngineDeath> {
  if (exitCode === undefined) return seen
  const signal = SIGNALS[exitCode - SIGNAL_BASE]
  return signal === undefined ? { ...seen, exitCode } : { ...seen, signal }
}

/** Resolves when the process has ended and its pipes are empty, or a moment after its end. */
function untilEnded(child: ChildProcess, ended: () => void): Promise<Partial<EngineDeath>> {
  return new Promise((resolve) => {
    let seen: Partial<EngineDeath> = {}
    let timer: NodeJS.Timeout | undefined
    const settle = (): void => {
      clearTimeout(timer)
      resolve(seen)
    }
    child.once('error', (error) => {
      if (child.pid !== undefined) return // A kill that failed; the process is still there.
      ended()
      seen = { cause: 'spawn', detail: error.message }
      settle()
    })
    child.once('exit', (code, signal) => {
      ended()
      seen = {
        ...(code === null ? {} : { exitCode: code }),
        ...(signal === null ? {} : { signal }),
      }
      // Somebody else may hold its pipes open.
      timer = setTimeout(settle, DRAIN_MS)
    })
    child.once('close', settle)
  })
}
