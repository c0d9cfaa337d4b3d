import { createHash } from 'node:crypto'
import type { SandboxProfile } from '../types/profile.ts'
import type { BundledSource, LoadedSource } from '../types/source.ts'

/** Holds back loads of a bundle that keeps failing, so that it cannot cost a process each time. */
export interface LoadGate {
  /** Runs `load`, or shares the run under way for the same bundle, or repeats its last failure. */
  pass(
    source: BundledSource,
    profile: SandboxProfile,
    load: () => Promise<LoadedSource>,
  ): Promise<LoadedSource>
}

interface Attempts {
  /** When the failures of the window happened, oldest first; milliseconds. */
  failures: number[]
  running?: Promise<LoadedSource>
  last?: unknown
}

const WINDOW_MS = 10_000
const MAX_FAILURES = 3
const MAX_REMEMBERED = 1_000

/** Creates a gate: at most 3 failing loads per bundle, configuration and profile in 10 s. */
export function createLoadGate(now: () => number = () => performance.now()): LoadGate {
  const remembered = new Map<string, Attempts>()

  const run = async (attempts: Attempts, load: () => Promise<LoadedSource>) => {
    try {
      return await load()
    } catch (error) {
      attempts.failures.push(now())
      attempts.last = error
      throw error
    } finally {
      delete attempts.running
    }
  }
  return {
    pass(source, profile, load) {
      const key = toKey(source, profile)
      const attempts = remembered.get(key) ?? { failures: [] }
      remember(remembered, key, attempts)
      if (attempts.running !== undefined) return attempts.running
      attempts.failures = attempts.failures.filter((at) => now() - at < WINDOW_MS)
      if (attempts.failures.length >= MAX_FAILURES) return Promise.reject(attempts.last)
      attempts.running = run(attempts, load)
      return attempts.running
    },
  }
}

function toKey(source: BundledSource, profile: SandboxProfile): string {
  const key = createHash('sha256')
  key.update(JSON.stringify([source.code, source.config ?? null, profile]))
  for (const { path, bytes } of source.files ?? [])
    key.update(`${path}\0${bytes.length}\0`).update(bytes)
  return key.digest('hex')
}

// The least recently used entry makes room; forgetting one costs at most three more failures.
function remember(remembered: Map<string, Attempts>, key: string, attempts: Attempts): void {
  remembered.delete(key)
  remembered.set(key, attempts)
  if (remembered.size <= MAX_REMEMBERED) return
  const [oldest] = remembered.keys()
  if (oldest !== undefined) remembered.delete(oldest)
}
