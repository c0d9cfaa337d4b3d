import type { Readable } from 'node:stream'
import type { EngineDeath } from '../shared/conversation.ts'

/** The end of what a runner wrote to its stderr; shown to nobody, read to name its death. */
export interface LastWords {
  /** What killed the runner as far as its words tell. */
  classify():
    | (Pick<EngineDeath, 'cause' | 'detail'> & {
        /** The slot that said so, where several share the runner. */
        readonly culprit: number | undefined
      })
    | undefined
  /** The last line of them. */
  lastLine(): string
}

const KEPT = 64 * 1024
const CATASTROPHE = /^caisson-runner: catastrophe:.*\n/m
const SLOT = /^caisson-runner: catastrophe: slot (\d+): /m
// V8 aborts its whole process on some allocation failures; only its last words tell why.
const MEMORY =
  /out of memory|out-of-memory|is_heap_oom|heap limit|allocation failed|invalid (array|size|table) |bad_alloc|catastrophe: .*(memory|heap)/i

/** Listens to `stream`; `doomed` is called once, when the runner says that it cannot go on. */
export function createLastWords(stream: Readable, doomed: () => void): LastWords {
  let tail = ''
  let told = false
  stream.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('latin1')).slice(-KEPT)
    if (told || !CATASTROPHE.test(tail)) return
    told = true
    doomed()
  })
  stream.on('error', () => undefined) // Its end is told by the process.
  return {
    classify() {
      if (!MEMORY.test(tail)) return undefined
      const slot = SLOT.exec(tail)?.[1]
      const culprit = slot === undefined ? undefined : Number(slot)
      return { cause: 'memory', detail: 'V8 ran out of memory', culprit }
    },
    lastLine: () => tail.trim().split('\n').at(-1) ?? '',
  }
}
