import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../../approval/clock.ts'
import { readText } from '../journals/read-text.ts'

/** How often people allowed calls of one shape. */
export interface Learning {
  /** True when calls of that shape were allowed often enough, and not too long ago. */
  isKnown(key: string, limits: LearningLimits): boolean
  allowed(key: string): void
  rejected(key: string): void
}

export interface LearningLimits {
  readonly threshold: number
  readonly days: number
}

const MAX_ENTRIES = 100
const DAY_MS = 86_400_000
const schema = z.record(
  z.string().regex(/^[0-9a-f]{64}$/),
  z.strictObject({ times: z.int().min(1).max(1_000), at: z.number() }),
)

/** Opens the store of a folder, or one in memory alone. One that cannot be read is empty. */
export function openLearning(
  folder: string | undefined,
  clock: Clock,
  diagnose: (text: string) => void,
): Learning {
  const path = folder === undefined ? undefined : join(folder, 'learned.json')
  const entries = new Map(Object.entries(load(path)))
  const save = (): void => {
    for (const key of [...entries.keys()].slice(0, Math.max(0, entries.size - MAX_ENTRIES))) {
      entries.delete(key)
    }
    if (path === undefined) return
    try {
      const draft = `${path}.new`
      writeFileSync(draft, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 })
      renameSync(draft, path)
    } catch (error) {
      diagnose(`what was learned could not be kept: ${String(error)}`)
    }
  }
  return {
    isKnown(key, { threshold, days }) {
      const entry = entries.get(key)
      return (
        entry !== undefined && entry.times >= threshold && clock.wall() - entry.at < days * DAY_MS
      )
    },
    allowed(key) {
      const times = Math.min(1_000, (entries.get(key)?.times ?? 0) + 1)
      entries.delete(key)
      entries.set(key, { times, at: clock.wall() })
      save()
    },
    rejected(key) {
      if (entries.delete(key)) save()
    },
  }
}

function load(path: string | undefined): z.infer<typeof schema> {
  try {
    const parsed = schema.safeParse(JSON.parse((path && readText(path)) ?? '{}'))
    return parsed.success ? parsed.data : {}
  } catch {
    return {}
  }
}
