import type { Duplex, Readable } from 'node:stream'

/** Limits that every process of a sandbox inherits; what is absent is not limited this way. */
export interface ResourceLimits {
  /** Of one process: what it has written to, in bytes. */
  readonly dataBytes?: number
  /** Of one process, in seconds. */
  readonly cpuSeconds?: number
  /** Of one file. */
  readonly fileBytes: number
  /** Descriptors of one process. */
  readonly files: number
  /** Processes and threads of the user; only where the sandbox has a user of its own. */
  readonly processes?: number
}

const KB = 1_024
const FILE_BLOCK = 512
const NOT_TOLD = 125
const MAX_TEXT = 4_096
const GO = 'go\n'

/**
 * Descriptor on which the script waits for the word to go on, and says that the program is next; the
 * program does not get it.
 */
export const STARTED_FD = 3
/** The same where the program has a channel on descriptor 3. */
export const STARTED_FD_BESIDE_CHANNEL = 4

/** How the script is run: what it says, and the descriptors the host was born with and passes on. */
export interface InitOptions {
  readonly startedFd: number
  /** Stands in the text, so that the process can be found by it. */
  readonly mark: string
  readonly strayFds: readonly number[]
  /** What is done before anything else, by commands that no limit but the kernel's groups holds. */
  readonly before?: readonly string[]
}

/**
 * Text of a script for `/bin/sh -c … sh program args…`: waits for the word, sets the limits, and waits
 * for the program as the first process of its sandbox, reaping what is left to it. It ends as the
 * program ended, with 128 and the number of the signal where it was one.
 */
export function toInitScript(limits: ResourceLimits, options: InitOptions): string {
  const { startedFd, strayFds, mark, before = [] } = options
  const { dataBytes, cpuSeconds, fileBytes, files, processes } = limits
  return [
    `: ${mark}`,
    ...before,
    // A host that dies here says nothing: then nothing is started. What speaks is bound to its parent.
    `echo ready >&${startedFd}; read -r go <&${startedFd} || exit ${NOT_TOLD}`,
    ...strayFds.map((fd) => `exec ${fd}>&-`),
    'ulimit -c 0',
    `ulimit -n ${files}`,
    `ulimit -f ${Math.ceil(fileBytes / FILE_BLOCK)}`,
    ...(dataBytes === undefined ? [] : [`ulimit -d ${Math.ceil(dataBytes / KB)}`]),
    ...(cpuSeconds === undefined ? [] : [`ulimit -t ${cpuSeconds}`]),
    // The letter is -u in bash and -p in others, where -u is nothing; in bash -p cannot be set.
    ...(processes === undefined
      ? []
      : [`ulimit -p ${processes} 2>/dev/null || ulimit -u ${processes}`]),
    `echo started >&${startedFd}`,
    // What the shell itself would say of a program that dies of a signal is nobody's output.
    `exec ${startedFd}>&- 9>&2 2>/dev/null`,
    // A program, and no word of the shell's own; nor an option of the word that starts it.
    'case $1 in -*) echo "$1: not found" >&9; exit 127;; esac',
    '(exec "$@" 2>&9 9>&-)',
    'exit "$?"',
  ].join('; ')
}

/**
 * The host's end of the script's descriptor: gives the word once the script is there, unless `inspect`
 * finds that it must not go on, and resolves to whether it has come as far as the program.
 */
export function giveTheWord(
  stream: Duplex,
  inspect: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  const answer = async (): Promise<void> => {
    if (await inspect()) stream.write(GO)
    else stream.destroy()
  }
  return new Promise((resolve) => {
    readLines(stream, (line) => {
      if (line === 'ready') void answer()
      if (line === 'started') resolve(true)
    })
    stream.once('close', () => resolve(false))
  })
}

/** The first line that comes; reads on afterwards, for nobody may find the pipe closed. */
export function firstLine(stream: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    readLines(stream, resolve)
    stream.once('close', () => resolve(undefined))
  })
}

function readLines(stream: Readable, heard: (line: string) => void): void {
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    const lines = (text + chunk.toString('latin1')).slice(0, MAX_TEXT).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) heard(line)
  })
}
