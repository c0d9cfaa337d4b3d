import type { Clock } from '../../../approval/clock.ts'
import { toLineText, type JournalEntry, type JournalLine } from './records.ts'
import { digestOf, type AuditStore, type ChainPlace } from './store.ts'

/** The append-only record that gates every allow. */
export interface Audit {
  /** Resolves with the line once it is stored; rejects when it is not. Lines keep their order. */
  write(entry: JournalEntry): Promise<JournalLine>
  /** Waits for what is queued, at most 2 s, and closes the store. */
  close(): Promise<void>
}

export interface AuditOptions {
  readonly store: AuditStore
  readonly clock: Clock
  readonly limits: () => { readonly maxBytes: number; readonly keep: number }
  diagnose(text: string): void
}

const CLOSE_MS = 2_000

interface Waiting {
  readonly entry: JournalEntry
  resolve(line: JournalLine): void
  reject(error: unknown): void
}

/** Creates the record. Lines that wait together are stored and flushed together. Throws file errors. */
export function createAudit({ store, clock, limits, diagnose }: AuditOptions): Audit {
  let place: ChainPlace | undefined = store.resume()
  let queue: Waiting[] = []
  let running: Promise<void> | undefined

  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue
      queue = []
      await storeBatch(batch)
    }
    running = undefined
  }
  const storeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      // What a failed append left behind decides where the chain goes on.
      place ??= store.resume()
      let at = place
      const texts = batch.map(({ entry }) => {
        const stamp = new Date(clock.wall()).toISOString()
        const text = toLineText(entry, { seq: at.seq + 1, prev: at.prev, at: stamp })
        at = { seq: at.seq + 1, prev: digestOf(text) }
        return text
      })
      place = undefined
      await store.append(`${texts.join('\n')}\n`)
      place = at
      batch.forEach(({ resolve }, index) => resolve(JSON.parse(texts[index] ?? '') as JournalLine))
      await rotateIfLarge(at.seq)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const rotateIfLarge = async (seq: number): Promise<void> => {
    const { maxBytes, keep } = limits()
    if (store.size <= maxBytes) return
    try {
      await store.rotate(seq, keep)
    } catch (error) {
      diagnose(`the approval journal could not be rotated: ${toText(error)}`)
    }
  }
  return {
    write(entry) {
      const { promise, resolve, reject } = Promise.withResolvers<JournalLine>()
      queue.push({ entry, resolve, reject })
      running ??= flush()
      return promise
    },
    async close() {
      const late = Promise.withResolvers<void>()
      const clear = clock.after(CLOSE_MS, late.resolve)
      await Promise.race([running, late.promise])
      clear()
      await store.close()
    },
  }
}

function toText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
