import { escapeToLine } from '../cards/escape.ts'
import { createConfiguredHost, hasSources } from '../host/configured-host.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import { toHint } from '../policies/auto-approval/config/resolve.ts'
import type { Explanation } from '../policies/auto-approval/decide/explain.ts'
import { COMMAND_APPROVAL } from './attach-approval.ts'
import { checkWorkspace } from './check-workspace.ts'
import { INTERRUPTED, listenForInterrupt } from './interrupt.ts'
import { noteFailures } from './load-target.ts'
import type { Output } from './output.ts'
import { readArgs } from './read-args.ts'

export interface ExplainOptions {
  readonly tool: string
  readonly args: string
  readonly workspace?: string
  readonly config?: string
}

/**
 * `caisson explain`: what would decide a call. Loads what the configuration names, to know the tools;
 * calls none of them, asks nobody and records nothing.
 */
export async function runExplain(output: Output, options: ExplainOptions): Promise<number> {
  const args = await readArgs(options.args)
  checkWorkspace(options.workspace)
  const configured = await createConfiguredHost({
    approval: COMMAND_APPROVAL,
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
  })
  await using host = configured.host
  if (hasSources(configured.operator)) {
    using interrupt = listenForInterrupt()
    const loading = configured.load()
    const loaded = await interrupt.during(loading, () => host.close())
    if (loaded === undefined) return INTERRUPTED
    noteFailures(loaded.failures, output)
    noteUnknown(host, options, output)
  }
  const explanation = host.approval.explain({ name: options.tool, arguments: args })
  if (output.json) output.object(explanation)
  else for (const line of draw(options.tool, explanation)) output.line(line)
  return 0
}

function noteUnknown(
  { tools }: ToolHost,
  { tool, config = '' }: ExplainOptions,
  output: Output,
): void {
  if (tools.get(tool) !== undefined) return
  const hint = toHint(
    tool,
    tools.schemas().map(({ name }) => name),
  )
  output.note(
    `caisson: ${config} loads no tool '${escapeToLine(tool)}', so only its name is judged${hint}`,
  )
}

const WORDS = {
  allow: 'would run',
  ask: 'would ask',
  deny: 'would be denied',
} as const

function draw(tool: string, explanation: Explanation): string[] {
  const { verdict, by, risk, category, codes, reason, locked, eligible } = explanation
  const whom = locked
    ? ' (only a person may allow it)'
    : eligible
      ? ' (a model may settle it)'
      : verdict === 'ask'
        ? ' (a person, or a rule of the operator)'
        : ''
  return [
    `${escapeToLine(tool)} ${WORDS[verdict]}${whom}`,
    `  decided by  ${escapeToLine(by)}`,
    `  risk        ${risk}${category === null ? '' : `, ${category}`}`,
    `  because     ${escapeToLine(reason)}`,
    `  codes       ${codes.join(', ')}`,
  ]
}
