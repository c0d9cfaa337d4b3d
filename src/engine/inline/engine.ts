import { isCaissonError, type CaissonError } from '../../errors/caisson-error.ts'
import type { DefinitionFunctions } from '../../registry/read-definition.ts'
import type {
  BodyJob,
  BodyOutcome,
  ProjectionJob,
  ProjectionOutcome,
  ToolBody,
} from '../../types/engine.ts'
import { toThrownRecord } from '../../../workers/shared/thrown.ts'
import { createInlineRun } from './inline-run.ts'

/** Host code behind the tool contract. Nothing can stop it; an overdue body is reported, not killed. */
export function createInlineBody(
  name: string,
  functions: DefinitionFunctions,
  diagnose: (text: string) => void,
  /** Whether a CaissonError that the body throws is the host's own and ends the call under its code. */
  speaksForHost: boolean = false,
): ToolBody {
  const project = (job: ProjectionJob): ProjectionOutcome => runProjection(functions, job)
  return {
    engine: 'inline',
    async run(job) {
      const begun = performance.now()
      const settled = await runInline(functions, job, speaksForHost)
      if (settled === undefined) {
        diagnose(`the inline body of tool '${name}' is still running after its call has ended`)
      }
      const outcome = settled ?? { kind: 'stopped' as const, started: true }
      return { ...outcome, prepareMs: 0, bodyMs: performance.now() - begun } satisfies BodyOutcome
    },
    project: (job) => Promise.resolve(project(job)),
  }
}

type Settled =
  | { readonly kind: 'returned'; readonly value: unknown }
  | {
      readonly kind: 'threw'
      readonly thrown: ReturnType<typeof toThrownRecord>
      readonly refusal?: Pick<CaissonError, 'code' | 'message' | 'facts'>
    }

/** How the body settled; undefined when it has not one grace after its signal aborted. */
function runInline(
  functions: DefinitionFunctions,
  job: BodyJob,
  speaksForHost: boolean,
): Promise<Settled | undefined> {
  const { run, close } = createInlineRun(job)
  job.services.bodyStarted()
  const body = settle(functions, [job.exec.arguments, run], speaksForHost)
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const end = (settled: Settled | undefined): void => {
      close()
      clearTimeout(timer)
      job.signal.removeEventListener('abort', stop)
      resolve(settled)
    }
    const stop = (): void => {
      timer = setTimeout(() => end(undefined), job.graceMs)
    }
    // The body may have aborted its own call before it first yielded.
    if (job.signal.aborted) stop()
    else job.signal.addEventListener('abort', stop, { once: true })
    void body.then(end)
  })
}

async function settle(
  functions: DefinitionFunctions,
  args: unknown[],
  speaksForHost: boolean,
): Promise<Settled> {
  try {
    const value: unknown = await Reflect.apply(functions.execute, functions.owner, args)
    return { kind: 'returned', value }
  } catch (thrown) {
    const record = { kind: 'threw', thrown: toThrownRecord(thrown) } as const
    if (!speaksForHost || !isCaissonError(thrown)) return record
    const { code, message, facts } = thrown
    return { ...record, refusal: { code, message, facts } }
  }
}

function runProjection(functions: DefinitionFunctions, job: ProjectionJob): ProjectionOutcome {
  const fn = functions.projections.get(job.kind)
  if (fn === undefined) return { kind: 'returned' }
  const onOutput = job.kind === 'render' || job.kind === 'presentationMeta'
  try {
    const owner = onOutput ? functions.output : functions.owner
    const value: unknown = Reflect.apply(fn, owner, [...job.input])
    if (value instanceof Promise) {
      value.catch(() => undefined)
      return { kind: 'failed', message: 'it must not be async' }
    }
    return value === undefined ? { kind: 'returned' } : { kind: 'returned', value }
  } catch (thrown) {
    return { kind: 'failed', message: toThrownRecord(thrown).message }
  }
}
