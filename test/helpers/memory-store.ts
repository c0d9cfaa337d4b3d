import {
  CHAIN_START,
  digestOf,
  type AuditStore,
} from '../../src/policies/auto-approval/journals/store.ts'

/** A journal's disk that can be told to fail or to hang. */
export interface MemoryStore extends AuditStore {
  readonly lines: string[]
  /** What the next appends do. */
  mode: 'works' | 'fails' | 'hangs'
  /** Lets what hangs fail. */
  release(): void
}

/** Creates an empty one. */
export function makeMemoryStore(): MemoryStore {
  const lines: string[] = []
  const hung: (() => void)[] = []
  return {
    lines,
    mode: 'works',
    size: 0,
    resume() {
      const last = lines.at(-1)
      if (last === undefined) return { seq: 0, prev: CHAIN_START }
      return { seq: (JSON.parse(last) as { seq: number }).seq, prev: digestOf(last) }
    },
    async append(text) {
      if (this.mode === 'fails') throw new Error('disk full')
      if (this.mode === 'hangs') {
        return new Promise<void>((_resolve, reject) => hung.push(() => reject(new Error('gone'))))
      }
      lines.push(...text.split('\n').filter((line) => line !== ''))
    },
    release() {
      this.mode = 'fails'
      for (const reject of hung) reject()
    },
    rotate: async () => undefined,
    close: async () => undefined,
  }
}
