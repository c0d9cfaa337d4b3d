import { CaissonError } from '../errors/caisson-error.ts'
import { createConfiguredHost, type ConfiguredHost } from '../host/configured-host.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import type { CallResult } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'
import { attachApproval, createRunApproval, type ApprovalMode } from './attach-approval.ts'
import { showCallProgress } from './call-progress.ts'
import { checkWorkspace } from './check-workspace.ts'
import { exitCodeOf } from './exit-code.ts'
import { INTERRUPTED, listenForInterrupt } from './interrupt.ts'
import { chooseOne, loadTarget, overrideSettings } from './load-target.ts'
import type { Output } from './output.ts'
import { printCalls } from './print-call.ts'
import { readArgs } from './read-args.ts'
import { resolveTarget, type Target } from './target.ts'

export interface RunOptions {
  /** A source, or the name of a tool of the pack or of the configuration. */
  readonly source: string | undefined
  readonly tool: string | undefined
  /** Pack that comes with the host. */
  readonly tools?: string
  readonly args: string
  readonly profile?: string
  readonly timeout?: number
  readonly memory?: number
  readonly retries?: number
  readonly approve: ApprovalMode
  readonly session?: string
  readonly workspace?: string
  readonly config?: string
}

/** `caisson run`: one call through the whole pipeline. */
export async function runTool(output: Output, options: RunOptions): Promise<number> {
  const args = await readArgs(options.args)
  checkWorkspace(options.workspace)
  const { approval, command } = createRunApproval()
  const configured = await createConfiguredHost(
    {
      approval,
      ...(options.config === undefined ? {} : { config: options.config }),
      ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
      ...(options.memory === undefined ? {} : { defaults: { memoryMb: options.memory } }),
    },
    { adjust: overrideSettings(options) },
  )
  await using host = configured.host
  const target = resolveTarget('run', options, configured.workspace)
  using interrupt = listenForInterrupt()
  const loading = loadTool(configured, target, options, output)
  const loaded = await interrupt.during(loading, () => host.close())
  if (loaded === undefined) return reportInterrupted(output)
  command(loaded.tool)
  noteCeiling(host, loaded.profile, options.timeout, output)
  return await callTool(output, options, { ...loaded, host, args, signal: interrupt.signal })
}

interface ReadyCall {
  readonly host: ToolHost
  readonly tool: string
  readonly engine: string
  readonly profile: string
  readonly args: JsonValue
  readonly signal: AbortSignal
}

async function callTool(output: Output, options: RunOptions, call: ReadyCall): Promise<number> {
  const { host, tool, engine, profile, args, signal } = call
  const session = host.openSession({
    cards: true,
    ...(options.session === undefined ? {} : { log: options.session }),
  })
  const agent = session.agent('cli')
  attachApproval(host, options.approve)
  using _progress = showCallProgress(host, tool, output)
  if (!output.json) printCalls(host, output)
  const result = await agent.tools.execute({
    callId: 'call-1',
    name: tool,
    arguments: args,
    signal,
  })
  if (output.json) output.object(toRecord(result, { tool, engine, profile }))
  if (result.isError && result.error.code === 'APPROVAL_UNAVAILABLE') {
    output.note('caisson: nobody could answer; run it on a terminal, or see --approve')
  }
  if (signal.aborted) return INTERRUPTED
  return result.isError ? exitCodeOf(result.error.code) : 0
}

function reportInterrupted(output: Output): number {
  output.failure(new CaissonError('ABORTED_BEFORE_DISPATCH', 'interrupted while loading'))
  return INTERRUPTED
}

function noteCeiling(
  host: ToolHost,
  profile: string,
  timeout: number | undefined,
  output: Output,
): void {
  const { timeoutMs } = host.profiles.resolve(profile).limits
  if (timeout === undefined || timeout <= timeoutMs) return
  output.note(
    `caisson: profile '${profile}' allows at most ${timeoutMs} ms; --timeout is cut to that`,
  )
}

async function loadTool(
  configured: ConfiguredHost,
  target: Target,
  options: RunOptions,
  output: Output,
): Promise<Pick<ReadyCall, 'tool' | 'engine' | 'profile'>> {
  const loaded = await loadTarget(configured, target, options, output)
  return describe(configured.host, chooseOne(loaded, target))
}

function describe(host: ToolHost, tool: string): Pick<ReadyCall, 'tool' | 'engine' | 'profile'> {
  const info = host.tools.get(tool)
  return { tool, engine: info?.engine ?? 'inline', profile: info?.profile ?? 'none' }
}

function toRecord(
  result: CallResult,
  about: { readonly tool: string; readonly engine: string; readonly profile: string },
): object {
  const { isError, content, meta, attempts, timings, confinement } = result
  return {
    callId: 'call-1',
    tool: about.tool,
    isError,
    ...(result.isError ? {} : { value: result.value }),
    content,
    ...(meta === undefined ? {} : { meta }),
    ...(result.isError ? { error: result.error } : {}),
    attempts,
    timings,
    engine: about.engine,
    profile: about.profile,
    ...(confinement === undefined ? {} : { confinement }),
  }
}
