import { accessSync, constants, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import { createConfiguredHost } from '../host/configured-host.ts'
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
import { chooseOne, loadTarget, overrideSettings, type LoadedTarget } from './load-target.ts'
import type { Output } from './output.ts'
import { chooseTool, resolveTarget, type Target } from './target.ts'

export interface BenchOptions extends LoadOptions {
  readonly source: string | undefined
  readonly tool: string | undefined
  /** Pack that comes with the host. */
  readonly tools?: string
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
  const configured = await createConfiguredHost(
    {
      ...(options.config === undefined ? {} : { config: options.config }),
      ...(options.memory === undefined ? {} : { defaults: { memoryMb: options.memory } }),
    },
    { adjust: overrideSettings(options) },
  )
  await using host = configured.host
  const target = resolveTarget('bench', options, configured.workspace)
  using interrupt = listenForInterrupt()
  const loading = loadTarget(configured, target, options, output)
  const loaded = await interrupt.during(loading, () => host.close())
  if (loaded === undefined) {
    output.failure(new CaissonError('ABORTED_BEFORE_DISPATCH', 'interrupted while loading'))
    return INTERRUPTED
  }
  const tools = chooseTools(loaded, target, options.mix)
  const spec = resolveLoad(tools, args, options)
  attachApproval(host, options.approve)
  const progress = createProgress(output)
  const outcome = await runLoad({
    host,
    spec,
    source: loaded.shown,
    environment: describeEnvironment(host, loaded.loaded, tools[0]?.tool ?? ''),
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

interface Weighted {
  readonly tool: string
  readonly weight: number
}

function chooseTools(loaded: LoadedTarget, target: Target, mix: BenchOptions['mix']): Weighted[] {
  const { tools, shown } = loaded
  if (mix === undefined) {
    if (target.tool !== undefined) return [{ tool: chooseOne(loaded, target), weight: 1 }]
    const [only] = tools
    if (only !== undefined && tools.length === 1) return [{ tool: only, weight: 1 }]
    const text = `${shown} has ${tools.length} tools; name one, or several with --mix, of: ${tools.join(', ')}`
    throw new CaissonError('CONFIG_INVALID', text, { known: [...tools] })
  }
  if (target.tool !== undefined) {
    throw new CaissonError('CONFIG_INVALID', `name tools in --mix or as an argument, not both`)
  }
  return [...mix].map(([name, weight]) => ({ tool: chooseTool(name, tools, shown), weight }))
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
