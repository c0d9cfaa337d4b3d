import { dirname, resolve } from 'node:path'
import { BUILTIN_SOURCE } from '../builtin/pack.ts'
import { escapeText, escapeToLine } from '../cards/escape.ts'
import type { OperatorConfig, SourceEntry } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { createToolHost } from '../host/create-tool-host.ts'
import { INSPECTION } from '../host/inspection.ts'
import { loadConfigured } from '../host/load-configured.ts'
import type { LoadedTools, LoadOptions } from '../host/load.ts'
import { readConfig } from '../host/read-config.ts'
import { INTERRUPTED, listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'

export interface ApproveOptions {
  /** None for all of the configuration. */
  readonly sources: readonly string[]
  readonly profile?: string
  readonly config?: string
}

interface Approved {
  readonly source: string
  readonly profile: string
  readonly digest: string
  /** What was not as it had been approved before; absent for the first time. */
  readonly changed?: readonly string[]
}

/** `caisson approve`: what sources are now is what `pin: "approved"` lets load from now on. */
export async function runApprove(output: Output, options: ApproveOptions): Promise<number> {
  const { profile, config } = options
  const { operator, options: given } = readConfig(config ?? {})
  const entries = chooseEntries(options, operator, given.workspace ?? '.')
  await using host = createToolHost(config === undefined ? {} : { config })
  await using session = host.openSession()
  const approved: Approved[] = []
  let loads = 0
  const load = async (source: string, settings: LoadOptions): Promise<LoadedTools> => {
    // One agent for each, so that sources with equal tool names can be approved together.
    const { tools } = session.agent(`approve-${(loads += 1)}`)
    const loaded = await tools.load(source, {
      ...settings,
      ...(profile === undefined ? {} : { profile }),
      [INSPECTION]: { approve: true },
    })
    const { approval, registrations } = loaded[INSPECTION]
    const used = registrations[0]?.operator.profile ?? 'none'
    if (approval !== undefined) approved.push({ source, profile: used, ...approval })
    return loaded
  }
  using interrupt = listenForInterrupt()
  const base = config === undefined ? resolve('.') : dirname(resolve(config))
  const loading = loadConfigured(load, { sources: entries, mcpServers: {} }, base)
  const done = await interrupt.during(loading, () => host.close())
  if (done === undefined) {
    output.failure(new CaissonError('ABORTED', 'interrupted while approving'))
    return INTERRUPTED
  }
  const failures = done.failures.map(({ source, error }) => ({
    source,
    code: error.code,
    message: error.message,
  }))
  if (output.json) output.object({ approved, failures })
  else for (const row of approved) printApproved(output, row)
  for (const { code, message } of failures) output.note(`caisson: ${code}: ${escapeText(message)}`)
  return failures.length > 0 ? 2 : 0
}

/** What is named, as the configuration has it; else all that it has. Pins are not what is asked for. */
function chooseEntries(
  { sources, profile }: ApproveOptions,
  operator: OperatorConfig,
  workspace: string,
): SourceEntry[] {
  const configured = operator.sources
    .map((entry): SourceEntry => (typeof entry === 'string' ? { source: entry } : entry))
    .filter(({ source, enabled }) => enabled !== false && isLocal(source))
    .map(({ pin: _pin, ...entry }) => entry)
  const chosen =
    sources.length === 0
      ? configured
      : sources.flatMap((source) => {
          if (!isLocal(source)) throw notLocal(source)
          const path = resolve(workspace, source)
          const known = configured.filter((entry) => resolve(entry.source) === path)
          return known.length === 0 ? [{ source }] : known
        })
  if (chosen.length === 0)
    throw new CaissonError('CONFIG_INVALID', 'approve: name a source, or --config with sources')
  // Under another profile nothing else of what the configuration says of single tools holds.
  return profile === undefined ? chosen : chosen.map(({ tools: _tools, ...entry }) => entry)
}

function isLocal(source: string): boolean {
  return source !== BUILTIN_SOURCE && !source.startsWith('mcp:')
}

function notLocal(source: string): CaissonError {
  const text = `approve: ${source} is no file; for a server: caisson mcp approve <server>`
  return new CaissonError('CONFIG_INVALID', text)
}

function printApproved(output: Output, { source, profile, digest, changed }: Approved): void {
  const what =
    changed === undefined
      ? 'for the first time'
      : changed.length === 0
        ? 'as before'
        : `with changes: ${changed.join(', ')}`
  output.line(`${escapeToLine(source)} is approved for profile '${profile}', ${escapeToLine(what)}`)
  output.line(`  ${digest}`)
}
