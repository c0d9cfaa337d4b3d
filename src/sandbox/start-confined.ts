import { dirname } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { toBwrapArgs, SANDBOX_HOME, SANDBOX_ID, type BwrapSpec } from './bwrap-args.ts'
import {
  spawnProcess,
  type ConfinedProcess,
  type Descriptor,
  type ProgramSpec,
} from './confined-process.ts'
import { isAt, isClosedAt, isEmptyAt } from './file-identity.ts'
import {
  firstLine,
  giveTheWord,
  STARTED_FD,
  STARTED_FD_BESIDE_CHANNEL,
  toInitScript,
  type ResourceLimits,
} from './init-script.ts'
import { resolveDoorTools, toDoorScript, type Door } from './door.ts'
import { createMark, endMarked } from './orphans.ts'
import { childrenOf, sendSignal, untilGone } from './process-tree.ts'

/** A program and the sandbox to run it in. */
export interface ConfinedSpec extends ProgramSpec, Omit<BwrapSpec, 'fds'> {
  /** The confiner: absolute path of bwrap. */
  readonly bwrap: string
  readonly seccomp: Uint8Array
  /** The shell that is the first process, and what it closes that the host was born with. */
  readonly shell: string
  readonly strayFds: readonly number[]
  readonly limits: ResourceLimits
  readonly door?: Door | undefined
  /** Told the first process before the program starts, which it does not if this rejects. */
  readonly hold?: (pid: number) => Promise<void>
}

/** How a program failed to start whose folders were not the ones that had been judged. */
export const REPLACED = 'what was granted was replaced while it was mounted'

const DEATH_MS = 1_000
/** The first that is not stdin, stdout or stderr. */
const FIRST_FD = 3
const FORCE_MS = 500
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const ID = `${SANDBOX_ID}:${SANDBOX_ID}`
const PASSWD = encode(`tool:x:${ID}:tool:${SANDBOX_HOME}:/bin/sh\n`)
const GROUP = encode(`tool:x:${SANDBOX_ID}:\n`)
const HOSTS = encode('127.0.0.1 localhost caisson\n::1 localhost\n')

/**
 * Starts a program under bubblewrap. Its limits hold before its first instruction. Throws
 * `SANDBOX_UNAVAILABLE` for a door that cannot be had here, and nothing else.
 */
export function startConfined(spec: ConfinedSpec): ConfinedProcess {
  const mark = createMark()
  const { command, more, at } = toCommand(spec, mark)
  const hasDoor = spec.door !== undefined
  const child = spawnProcess(command, { ...spec, cwd: '/', more, detached: false, hasDoor })
  const { streams } = child
  let root: number | undefined
  let ended = false
  let replaced = false
  const killRoot = (): void => {
    // What is told apart by its parent: an id that was given anew is somebody else's child.
    const own = child.pid === undefined ? [] : childrenOf(child.pid)
    const first = root ?? own[0]
    if (ended || first === undefined || !own.includes(first)) return child.signal('SIGKILL')
    sendSignal(first, 'SIGKILL')
    // It is the kernel that ends the rest; if that takes long, bwrap itself goes, and they with it.
    setTimeout(() => ended || child.signal('SIGKILL'), FORCE_MS).unref()
  }
  const release = async (): Promise<void> => {
    const line = await firstLine(streams[at.status] as Readable)
    root = toChildPid(line)
    if (root === undefined) return
    try {
      await spec.hold?.(root)
      streams[at.block]?.end('go')
    } catch {
      killRoot() // A limit that does not hold is no limit: the program is not let go.
    }
  }
  const released = release()
  const exit = child.exit.then(async ({ end, killed }) => {
    // Ended from outside, bwrap takes the others with it, but does not wait for them; and one that it
    // had only just made does not notice.
    if (killed) await endMarked(mark, DEATH_MS)
    else if (root !== undefined) await untilGone(root, DEATH_MS)
    ended = true
    return replaced ? { failure: REPLACED } : end
  })
  const inspect = async (): Promise<boolean> => {
    await released
    if (root !== undefined && (await isAsJudged(root, spec))) return true
    replaced = root !== undefined && !ended
    killRoot()
    return false
  }
  const started = giveTheWord(streams[at.started] as Duplex, inspect)
  return {
    pid: child.pid,
    stdin: spec.hasStdin ? (streams[0] ?? undefined) : undefined,
    stdout: streams[1] as Readable,
    stderr: streams[2] as Readable,
    channel: spec.hasChannel ? streams[3] : undefined,
    door: child.door,
    started,
    ended: exit,
    get hasEnded() {
      return ended
    },
    get root() {
      return root
    },
    terminate() {
      const [leader] = root === undefined ? [] : childrenOf(root)
      if (leader !== undefined) sendSignal(leader, 'SIGTERM')
    },
    kill: killRoot,
  }
}

/** Whether what is mounted is what was looked at: a path may have led elsewhere by then. */
async function isAsJudged(root: number, { binds, covers }: ConfinedSpec): Promise<boolean> {
  const judged = await Promise.all([
    ...binds.map(({ to, identity }) => identity === undefined || isAt(root, to, identity)),
    ...covers.map(async ({ path, kind, identity, parent }) => {
      if (parent !== undefined && !(await isAt(root, dirname(path), parent))) return false
      if (kind === 'emptyFolder') return isEmptyAt(root, path)
      if (kind !== 'readOnly') return isClosedAt(root, path)
      return identity === undefined || isAt(root, path, identity)
    }),
  ])
  return judged.every(Boolean)
}

interface Descriptors {
  readonly started: number
  readonly status: number
  readonly block: number
}

function toCommand(
  spec: ConfinedSpec,
  mark: string,
): {
  command: [string, ...string[]]
  more: Descriptor[]
  at: Descriptors
} {
  const started = spec.hasChannel ? STARTED_FD_BESIDE_CHANNEL : STARTED_FD
  const [status, block, seccomp, passwd, group, hosts, args] = [1, 2, 3, 4, 5, 6, 7].map(
    (n) => started + n,
  ) as [number, number, number, number, number, number, number]
  const bound = spec.files ?? []
  const files = bound.map((_file, at) => args + 1 + at)
  const fds = { status, block, seccomp, passwd, group, hosts, files }
  const options = encode(`${toBwrapArgs({ ...spec, fds }).join('\0')}\0`)
  const { seccomp: filter, shell } = spec.door === undefined ? spec : resolveDoorTools()
  const data = [filter, PASSWD, GROUP, HOSTS, options, ...bound.map(({ bytes }) => bytes)]
  const pipes: Descriptor[] = Array<Descriptor>(spec.hasChannel ? 4 : 3).fill('pipe')
  const taken = FIRST_FD + pipes.length + data.length
  // The channel of a door comes last.
  const before = spec.door === undefined ? [] : toDoorScript(spec.door, taken)
  const strayFds = spec.strayFds.filter((fd) => fd >= taken + Math.min(before.length, 1))
  const script = toInitScript(spec.limits, { startedFd: started, strayFds, mark, before })
  const init = [shell, ...(shell.endsWith('bash') ? ['--posix'] : []), '-c', script, 'sh']
  return {
    // The options name folders of the host: a program can read the command line of its own first
    // process, but not what that process has read.
    command: [spec.bwrap, '--args', `${args}`, '--', ...init, ...spec.argv],
    more: [...pipes, ...data],
    at: { started, status, block },
  }
}

function toChildPid(line: string | undefined): number | undefined {
  const pid = /"child-pid": (\d+)/.exec(line ?? '')?.[1]
  return pid === undefined ? undefined : Number(pid)
}
