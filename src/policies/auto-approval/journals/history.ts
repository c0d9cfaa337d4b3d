import { constants } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDecisions } from './read.ts'
import type { JournalLine } from './records.ts'
import { readText } from './read-text.ts'

/** The latest decisions, for people; best effort, and never a gate. */
export interface History {
  add(line: JournalLine): void
  list(): readonly JournalLine[]
  clear(): void
  /** Resolves when what was added has been written, or could not be. */
  settle(): Promise<void>
}

const WINDOW = 200
const MAX_BYTES = 1_024 ** 2
const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_APPEND, O_EXCL } = constants

/** Creates the history of a folder, or one in memory alone. */
export function createHistory(
  folder: string | undefined,
  diagnose: (text: string) => void,
): History {
  const path = folder === undefined ? undefined : join(folder, 'history.jsonl')
  const known = path === undefined ? undefined : readText(path)
  let window: JournalLine[] = parseDecisions(known ?? '').slice(-WINDOW)
  let bytes = Buffer.byteLength(known ?? '')
  let work: Promise<void> = Promise.resolve()
  const enqueue = (job: (path: string) => Promise<void>): void => {
    if (path === undefined) return
    work = work
      .then(() => job(path))
      .catch((error: unknown) => diagnose(`the approval history is behind: ${String(error)}`))
  }
  const rewrite = async (target: string): Promise<void> => {
    const text = window.map((line) => `${JSON.stringify(line)}\n`).join('')
    const draft = `${target}.${process.pid}.new`
    const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      await file.writeFile(text)
    } finally {
      await file.close()
    }
    await rename(draft, target)
    bytes = Buffer.byteLength(text)
  }
  return {
    add(line) {
      const { prev: _chain, ...shown } = line
      window = [...window.slice(1 - WINDOW), shown as JournalLine]
      enqueue(async (target) => {
        if (bytes > MAX_BYTES) return rewrite(target)
        const text = `${JSON.stringify(shown)}\n`
        const file = await open(target, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
        try {
          await file.writeFile(text)
        } finally {
          await file.close()
        }
        bytes += Buffer.byteLength(text)
      })
    },
    list: () => window,
    clear() {
      window = []
      enqueue(rewrite)
    },
    settle: () => work,
  }
}
