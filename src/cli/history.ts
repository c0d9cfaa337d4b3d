import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { escapeToLine } from '../cards/escape.ts'
import { readConfig } from '../host/read-config.ts'
import {
  countDecisions,
  readHistory,
  type HistoryEntry,
  type HistoryFilter,
} from '../policies/auto-approval/journals/read.ts'
import type { Output } from './output.ts'

export interface HistoryOptions {
  readonly tool?: string
  readonly outcome?: NonNullable<HistoryFilter['outcome']>
  readonly source?: string
  readonly session?: string
  readonly since?: string
  readonly limit?: number
  readonly config?: string
}

/** `caisson history`: recorded decisions, oldest first. */
export function runHistory(output: Output, options: HistoryOptions): number {
  const { config, ...filter } = options
  const entries = readHistory(stateFolder(config), filter)
  const counts = countDecisions(entries)
  if (output.json) {
    output.object({ decisions: entries, counts })
    return 0
  }
  if (entries.length === 0) output.line('no decisions are recorded here')
  for (const entry of entries) output.line(draw(entry))
  return 0
}

function stateFolder(config: string | undefined): string {
  const { stateDir } = config === undefined ? {} : readConfig(config).options
  return resolve(stateDir ?? process.env['CAISSON_HOME'] ?? join(homedir(), '.caisson'))
}

function draw({ at, outcome, source, tool, tier, reason, waitedMs }: HistoryEntry): string {
  const waited = waitedMs >= 1_000 ? ` after ${Math.round(waitedMs / 1_000)} s` : ''
  const what = `${escapeToLine(tool)} (${source}${waited}, ${tier})`
  return `${at}  ${outcome.padEnd(11)} ${what}: ${escapeToLine(reason)}`
}
