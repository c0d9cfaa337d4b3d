// A Piscina worker for one source of operator tools; each export is a task. What it does is in the
// stage, which comes as one text: a worker that loaded it file by file would start ten times slower.
import { createRequire } from 'node:module'
import { runInThisContext } from 'node:vm'
import { workerData } from 'node:worker_threads'
import type { createThreadStage, ThreadStage } from './stage.ts'

const module: { exports: unknown } = { exports: {} }
const { code } = workerData as { code: string }
const run = runInThisContext(`((require, module) => {${code}\n})`) as (...args: unknown[]) => void
run(createRequire(import.meta.url), module)
const { createThreadStage: create } = module.exports as {
  createThreadStage: typeof createThreadStage
}
const stage: ThreadStage = create()

/** Answers with the worker's heap limit in bytes. */
export const boot: ThreadStage['boot'] = stage.boot
/** Loads the source and answers with its description. */
export const open: ThreadStage['open'] = stage.open
