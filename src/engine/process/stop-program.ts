import { isCaissonError } from '../../errors/caisson-error.ts'
import type { BodyJob } from '../../types/engine.ts'
import { CONFIRM_MS } from '../shared/confirm.ts'
import { notStarted, type UntimedOutcome } from './command-outcome.ts'
import type { Sandbox } from './sandbox.ts'

/** SIGTERM first, then the grace, then the kill; what cannot be killed is not waited for for ever. */
export function stopOnAbort(
  sandbox: Sandbox,
  { signal, graceMs }: Pick<BodyJob, 'signal' | 'graceMs'>,
): { readonly killed: boolean; readonly lost: Promise<'lost'>; release(): void } {
  const lost = Promise.withResolvers<'lost'>()
  let timer: NodeJS.Timeout | undefined
  let killed = false
  const stop = (): void => {
    sandbox.process.terminate()
    timer = setTimeout(() => {
      killed = true
      sandbox.kill('killed', 'grace is over')
      timer = setTimeout(() => lost.resolve('lost'), CONFIRM_MS)
    }, graceMs)
  }
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return {
    get killed() {
      return killed
    },
    lost: lost.promise,
    release() {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}

/** Opens a sandbox unless the call is over, or is over by then. */
export async function openUnlessAborted(
  open: () => Promise<Sandbox>,
  signal: AbortSignal,
): Promise<Sandbox | UntimedOutcome> {
  const stopped = { kind: 'stopped', started: false } as const
  if (signal.aborted) return stopped
  try {
    const sandbox = await open()
    if (!signal.aborted) return sandbox
    sandbox.kill('killed', 'nobody waits for it')
    await sandbox.dead
    return stopped
  } catch (error) {
    if (!isCaissonError(error)) return notStarted('ENGINE_UNAVAILABLE', 'the program did not start')
    return notStarted(error.code, error.message, error.facts)
  }
}
