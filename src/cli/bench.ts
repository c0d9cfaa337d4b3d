import { accessSync, constants, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import { createToolHost, type ToolHost } from '../host/create-tool-host.ts'
import type { LoadedTools } from '../host/load.ts'
import { drawReport } from '../load/draw-report.ts'
import { toPage } from '../load/page/to-page.ts'
import type { LoadReport } from '../load/report.ts'
import { runLoad, type LoadOutcome } from '../load/run-load.ts'
import { parseThreshold } from '../load/thresholds.ts'
import { attachApproval, type ApprovalMode } from './attach-approval.ts'
import { describeEnvironment } from './bench-environment.ts'
import { checkLoad, readLoadArgs, resolveLoad, type LoadOptions } from './bench-options.ts'
import { createProgress } from './bench-progress.ts'
import { INTERRUPTED, listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'

export interface BenchOptions extends LoadOptions {
  readonly source: string
  readonly tool: string | undefined
  readonly profile?: string
  readonly timeout?: number
  readonly memory?: number
  readonly retries?: number
  readonly config?: string
  readonly approve: ApprovalMode
  readonly threshold: readonly string[]
  readonly report?: string
  readonly hgrm?: string
}

const THRESHOLD_FAILED = 99
const NOTHING_SUCCEEDED = 1

/**
 * `caisson bench`: a load test. Exits 0, 99 when a threshold failed, 130 when it was interrupted (what
 * was measured until then is printed), 1 when no call succeeded.
 */
export async function runBench(output: Output, options: BenchOptions): Promise<number> {
  const thresholds = options.threshold.map(parseThreshold)
  checkLoad(options)
  for (const path of [options.report, options.hgrm]) checkTarget(path)
  const args = await readLoadArgs(options)
  await using host = createToolHost({
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.memory === undefined ? {} : { defaults: { memoryMb: options.memory } }),
  })
  using interrupt = listenForInterrupt()
  const loaded = await interrupt.during(loadTools(host, options), () => host.close())
  if (loaded === undefined) {
    output.failure(new CaissonError('ABORTED_BEFORE_DISPATCH', 'interrupted while loading'))
    return INTERRUPTED
  }
  const tools = chooseTools(loaded.tools, options)
  const spec = resolveLoad(tools, args, options)
  attachApproval(host, options.approve)
  const progress = createProgress(output)
  const outcome = await runLoad({
    host,
    spec,
    source: options.source,
    environment: describeEnvironment(host, loaded, tools[0]?.tool ?? ''),
    thresholds,
    signal: interrupt.signal,
    progress: progress.show,
  })
  progress.end()
  await writeFiles(output, options, outcome)
  return conclude(output, outcome.report)
}

function checkTarget(path: string | undefined): void {
  if (path === undefined) return
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder')
    accessSync(dirname(resolve(path)), constants.W_OK)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

function cannotWrite(path: string, error: unknown): CaissonError {
  const { code, message } = error as NodeJS.ErrnoException
  const why = code === 'ENOENT' ? 'there is no such folder' : (code ?? message)
  return new CaissonError('CONFIG_INVALID', `${path} cannot be written: ${why}`)
}

async function loadTools(host: ToolHost, options: BenchOptions): Promise<LoadedTools> {
  const { profile, timeout, retries } = options
  return await host.tools.load(options.source, {
    ...(profile === undefined ? {} : { profile }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(retries === undefined ? {} : { retry: { retries } }),
  })
}

interface Weighted {
  readonly tool: string
  readonly weight: number
}

function chooseTools(names: readonly string[], { source, tool, mix }: BenchOptions): Weighted[] {
  const chosen = [...(mix ?? []), ...(tool === undefined ? [] : ([[tool, 1]] as const))]
  if (mix !== undefined && tool !== undefined) {
    throw new CaissonError('CONFIG_INVALID', `name tools in --mix or as an argument, not both`)
  }
  for (const [name] of chosen) {
    if (names.includes(name)) continue
    const text = `there is no tool '${name}' in ${source}; it has: ${names.join(', ')}`
    throw new CaissonError('UNKNOWN_TOOL', text, { known: [...names] })
  }
  if (chosen.length > 0) return chosen.map(([name, weight]) => ({ tool: name, weight }))
  const [only] = names
  if (only !== undefined && names.length === 1) return [{ tool: only, weight: 1 }]
  throw new CaissonError(
    'CONFIG_INVALID',
    `${source} has ${names.length} tools; name one, or several with --mix, of: ${names.join(', ')}`,
    { known: [...names] },
  )
}

async function writeFiles(
  output: Output,
  { report: page, hgrm }: BenchOptions,
  { report, response }: LoadOutcome,
): Promise<void> {
  const write = async (path: string, text: string): Promise<void> => {
    try {
      await writeFile(path, text)
    } catch (error) {
      throw cannotWrite(path, error)
    }
    if (!output.json) output.note(`written: ${path}`)
  }
  if (hgrm !== undefined) await write(hgrm, response.outputPercentileDistribution(5, 1_000))
  if (page !== undefined) await write(page, await toPage(report))
}

function conclude(output: Output, report: LoadReport): number {
  if (output.json) output.object(report)
  else for (const row of drawReport(report, output)) output.line(row)
  if (report.interrupted) return INTERRUPTED
  if (report.thresholds.some(({ ok }) => !ok)) return THRESHOLD_FAILED
  return report.calls.ok === 0 ? NOTHING_SUCCEEDED : 0
}
