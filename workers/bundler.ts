// The bundler child: reads one request per line, answers one line each. Holds no secret and no tool code runs here.
import { createInterface } from 'node:readline'
import { bundleAsset } from './bundler/assets.ts'
import { BundleError } from './bundler/bundle-error.ts'
import { toProgramBody, type ProgramRequest } from './bundler/program.ts'
import { scanTool, type ScanRequest } from './bundler/scan.ts'
import type { SourceUse } from './bundler/read-use.ts'
import { bundleTool, type ToolBundle, type ToolBundleRequest } from './bundler/tool.ts'

/** One line to the child. */
export type BundlerRequest =
  | ({ readonly kind: 'tool' } & ToolBundleRequest)
  | ({ readonly kind: 'scan' } & ScanRequest)
  | ({ readonly kind: 'program' } & ProgramRequest)
  | { readonly kind: 'asset'; readonly entry: string }

/** One line back, beside the `id` of its request. */
export type BundlerAnswer =
  | { readonly bundle: ToolBundle }
  | { readonly use: SourceUse }
  | { readonly violations: readonly string[] }

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, ...request } = JSON.parse(line) as BundlerRequest & { id: number }
  void answer(request).then((reply) =>
    process.stdout.write(`${JSON.stringify({ id, ...reply })}\n`),
  )
})
process.stdin.on('close', () => process.exit(0))

async function answer(request: BundlerRequest): Promise<BundlerAnswer> {
  try {
    if (request.kind === 'tool') return { bundle: await bundleTool(request) }
    if (request.kind === 'scan') return { use: await scanTool(request) }
    if (request.kind === 'program') {
      return { bundle: { code: toProgramBody(request), imports: [], natives: [] } }
    }
    return { bundle: { code: await bundleAsset(request.entry), imports: [], natives: [] } }
  } catch (error) {
    if (error instanceof BundleError) return { violations: error.violations }
    return { violations: [error instanceof Error ? error.message : String(error)] }
  }
}
