import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Where a chain stands: the number of its last line and that line's digest. */
export interface ChainPlace {
  readonly seq: number
  readonly prev: string
}

/** Bytes that only grow. */
export interface AuditStore {
  /** Bytes of the current file. */
  readonly size: number
  /** The end of what is stored, also after a failed append. Throws file errors. */
  resume(): ChainPlace
  /** Resolves when the text is written and flushed; after a rejection call `resume()` again. */
  append(text: string): Promise<void>
  /** Puts the current file aside under `seq` and keeps the newest `keep` of those. */
  rotate(seq: number, keep: number): Promise<void>
  close(): Promise<void>
}

export const CHAIN_START = '0'.repeat(64)
const SUFFIX = '.jsonl'
const TAIL_BYTES = 64 * 1_024
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

/** A store in one file. A torn last line is ended before anything is written behind it. */
export function createFileStore(
  path: string,
  { sync }: { readonly sync: 'data' | 'none' },
): AuditStore {
  let handle: FileHandle | undefined
  let size = 0
  let isTorn = false
  const current = async (): Promise<FileHandle> => (handle ??= await open(path, FLAGS, 0o600))
  return {
    get size() {
      return size
    },
    resume() {
      const tail = readTail(path)
      size = tail?.size ?? 0
      isTorn = tail !== undefined && tail.text !== '' && !tail.text.endsWith('\n')
      return placeOf(tail?.text) ?? placeOf(readTail(latestRotated(path))?.text) ?? START
    },
    async append(text) {
      const file = await current()
      const bytes = Buffer.from(isTorn ? `\n${text}` : text)
      await file.writeFile(bytes)
      size += bytes.length
      isTorn = false
      if (sync === 'data') await file.datasync()
    },
    async rotate(seq, keep) {
      const old = handle
      await rename(path, rotatedPath(path, seq))
      handle = undefined
      size = 0
      await old?.close()
      const numbers = rotatedNumbers(path, await readdir(dirname(path)))
      for (const number of numbers.slice(keep)) await rm(rotatedPath(path, number), { force: true })
    },
    async close() {
      await handle?.close()
      handle = undefined
    },
  }
}

const START: ChainPlace = { seq: 0, prev: CHAIN_START }

/** SHA-256 of a line without its newline. */
export function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('hex')
}

// The last whole line that can be read; a torn one is skipped.
function placeOf(text: string | undefined): ChainPlace | undefined {
  for (const line of text?.split('\n').toReversed() ?? []) {
    try {
      const { seq } = JSON.parse(line) as { readonly seq?: unknown }
      if (typeof seq === 'number' && Number.isSafeInteger(seq)) return { seq, prev: digestOf(line) }
    } catch {
      // Torn, or not ours: the line before counts.
    }
  }
  return undefined
}

function readTail(
  path: string | undefined,
): { readonly text: string; readonly size: number } | undefined {
  if (path === undefined) return undefined
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { size } = fstatSync(fd)
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES))
    const read = readSync(fd, buffer, 0, buffer.length, size - buffer.length)
    return { text: buffer.toString('utf8', 0, read), size }
  } finally {
    closeSync(fd)
  }
}

function latestRotated(path: string): string | undefined {
  const [newest] = rotatedNumbers(path, readdirSync(dirname(path)))
  return newest === undefined ? undefined : rotatedPath(path, newest)
}

// Each journal has names of its own beside it: those of a command are not those of a host.
function rotatedPath(path: string, seq: number): string {
  return join(dirname(path), `${basename(path, SUFFIX)}-${seq}${SUFFIX}`)
}

function rotatedNumbers(path: string, names: readonly string[]): number[] {
  const head = `${basename(path, SUFFIX)}-`
  return names
    .filter((name) => name.startsWith(head) && name.endsWith(SUFFIX))
    .map((name) => name.slice(head.length, -SUFFIX.length))
    .filter((number) => /^\d{1,15}$/.test(number))
    .map(Number)
    .sort((a, b) => b - a)
}
