import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionEntry, DecisionOutcome, JournalLine } from './records.ts'
import { readText } from './read-text.ts'

/** A recorded decision. */
export type HistoryEntry = DecisionEntry & {
  readonly v: 1
  readonly seq: number
  readonly at: string
}

export interface HistoryFilter {
  readonly tool?: string
  readonly outcome?: DecisionOutcome
  readonly source?: string
  readonly session?: string
  /** ISO 8601; nothing older. */
  readonly since?: string
  /** The newest so many. Default 50. */
  readonly limit?: number
}

/** How many executions ended how. */
export interface DecisionCounts {
  readonly executions: number
  readonly outcomes: Readonly<Record<DecisionOutcome, number>>
  readonly sources: Readonly<Record<string, number>>
}

const RUN_FILE = /^run-[\w-]+\.jsonl$/
const LIMIT = 50

/** Decisions recorded under a state folder, of hosts and of single commands, oldest first. */
export function readHistory(stateDir: string, filter: HistoryFilter = {}): HistoryEntry[] {
  const folder = join(stateDir, 'approval')
  const files = ['history.jsonl', ...listRuns(folder)]
  const found = files.flatMap((name) => parseDecisions(readText(join(folder, name)) ?? ''))
  return filterHistory(found as HistoryEntry[], filter)
}

/** The newest entries that fit, oldest first. */
export function filterHistory(
  entries: readonly HistoryEntry[],
  { tool, outcome, source, session, since, limit = LIMIT }: HistoryFilter,
): HistoryEntry[] {
  return entries
    .filter((entry) => entry.type === 'decision')
    .filter((entry) => tool === undefined || entry.tool === tool)
    .filter((entry) => outcome === undefined || entry.outcome === outcome)
    .filter((entry) => source === undefined || entry.source === source)
    .filter((entry) => session === undefined || entry.session === session)
    .filter((entry) => since === undefined || entry.at >= since)
    .toSorted((a, b) => (a.at === b.at ? a.seq - b.seq : a.at < b.at ? -1 : 1))
    .slice(-limit)
}

/** Counts executions, not lines: a later line of the same execution is how it ended. */
export function countDecisions(entries: readonly HistoryEntry[]): DecisionCounts {
  const last = new Map(entries.map((entry) => [entry.exec, entry]))
  const outcomes = { allowed: 0, denied: 0, cancelled: 0, unavailable: 0 }
  const sources: Record<string, number> = {}
  for (const { outcome, source } of last.values()) {
    outcomes[outcome] += 1
    sources[source] = (sources[source] ?? 0) + 1
  }
  return { executions: last.size, outcomes, sources }
}

/** The decisions of a journal's text; lines that are none are skipped. */
export function parseDecisions(text: string): JournalLine[] {
  return text.split('\n').flatMap((line) => {
    try {
      const entry = JSON.parse(line) as JournalLine | null
      return entry?.type === 'decision' && typeof entry.at === 'string' ? [entry] : []
    } catch {
      return [] // Torn by a crash.
    }
  })
}

function listRuns(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => RUN_FILE.test(name))
  } catch {
    return []
  }
}
