import type { ChildProcess } from 'node:child_process'
import { Server } from 'node:net'
import { constants } from 'node:os'
import type { Duplex, Readable, Writable } from 'node:stream'
import { execa } from 'execa'

/** A program with what it started: what it says, and ways to end all of it. */
export interface ConfinedProcess {
  /** Id of the process that this host started; undefined when it could not start it. */
  readonly pid: number | undefined
  /** Undefined unless it was asked for. */
  readonly stdin: Writable | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  /** The program's descriptor 3, in both directions; undefined unless it was asked for. */
  readonly channel: Duplex | undefined
  /** Accepts connections from inside; undefined unless it was asked for, and opened. */
  readonly door: Promise<Server | undefined>
  /**
   * Resolves once the program is about to run, under all of its limits; to false when it never got
   * that far.
   */
  readonly started: Promise<boolean>
  /** Resolves once it has ended, and everything it started with it. */
  readonly ended: Promise<ProcessEnd>
  readonly hasEnded: boolean
  /** Id of the process below which everything in it is. */
  readonly root: number | undefined
  /** Asks the program itself to end: SIGTERM. */
  terminate(): void
  /** Ends all of it at once. */
  kill(): void
}

/** How it ended. */
export interface ProcessEnd {
  readonly exitCode?: number
  readonly signal?: string
  /** Why it could not be started at all. */
  readonly failure?: string
}

/** What to run. */
export interface ProgramSpec {
  readonly argv: readonly [string, ...string[]]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly hasStdin: boolean
  readonly hasChannel: boolean
}

/** What a descriptor of the started process is: a pipe both ways, or bytes to read. */
export type Descriptor = 'pipe' | Uint8Array

/** A started process with its further descriptors, by number. */
export interface SpawnedProcess {
  readonly pid: number | undefined
  readonly streams: readonly (Duplex | undefined)[]
  /** A listening socket that it hands over, upon which it is not listened to any more. */
  readonly door: Promise<Server | undefined>
  /** Resolves when that one process has ended; `killed` says that a signal has ended it itself. */
  readonly exit: Promise<{ readonly end: ProcessEnd; readonly killed: boolean }>
  signal(name: 'SIGTERM' | 'SIGKILL'): void
}

const SIGNAL_BASE = 128
const NO_DOOR = Promise.resolve(undefined)

/** Starts a process; `more` are its descriptors from 3 on. Never throws. */
export function spawnProcess(
  [file, ...args]: readonly [string, ...string[]],
  options: {
    readonly env: Readonly<Record<string, string>>
    readonly cwd: string
    readonly hasStdin: boolean
    readonly more: readonly Descriptor[]
    /** In a group of its own. */
    readonly detached: boolean
    /** A channel for a door, on the descriptor after the last. */
    readonly hasDoor?: boolean
  },
): SpawnedProcess {
  const subprocess = execa(file, args, {
    stdio: [options.hasStdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...options.more],
    env: { ...options.env },
    extendEnv: false,
    cwd: options.cwd,
    detached: options.detached,
    buffer: false,
    reject: false,
    encoding: 'buffer',
    ipc: options.hasDoor === true,
    serialization: 'json',
    stripFinalNewline: false,
  })
  const streams = subprocess.nodeChildProcess.stdio as unknown as (Duplex | undefined)[]
  for (const stream of streams) stream?.on('error', () => undefined) // Its end is told by the exit.
  const failed = subprocess.then(({ cause }) => ({ failure: codeOf(cause) }))
  const exit: SpawnedProcess['exit'] = new Promise((resolve) => {
    subprocess.nodeChildProcess.once('exit', (code, signal) =>
      resolve({ end: toEnd(code, signal), killed: signal !== null }),
    )
    if (subprocess.pid === undefined) void failed.then((end) => resolve({ end, killed: false }))
  })
  return {
    pid: subprocess.pid,
    streams,
    door: options.hasDoor === true ? receiveDoor(subprocess.nodeChildProcess) : NO_DOOR,
    exit,
    signal: (name) => void subprocess.kill(name),
  }
}

function receiveDoor(child: ChildProcess): Promise<Server | undefined> {
  return new Promise((resolve) => {
    child.once('message', (_text, handle) => {
      child.disconnect()
      resolve(handle instanceof Server ? handle : undefined)
    })
    child.once('exit', () => resolve(undefined))
    child.once('error', () => resolve(undefined))
  })
}

/** Exit codes above 128 are signals, as shells have it. */
function toEnd(code: number | null, signal: string | null): ProcessEnd {
  if (signal !== null) return { signal }
  if (code === null) return {}
  const name = Object.entries(constants.signals).find(([, n]) => n === code - SIGNAL_BASE)?.[0]
  return code > SIGNAL_BASE && name !== undefined ? { signal: name } : { exitCode: code }
}

function codeOf(cause: unknown): string {
  const { code } = Object(cause) as { code?: unknown }
  return typeof code === 'string' ? code : 'it cannot be started'
}
