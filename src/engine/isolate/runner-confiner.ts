import { CaissonError } from '../../errors/caisson-error.ts'
import {
  explainFailure,
  readKernelSetting,
  type Unconfinable,
} from '../../sandbox/confiner-reasons.ts'
import type { RunnerWalls } from '../../sandbox/runner-walls.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { NOT_CONFINED, type StartedRunner } from './runner-process.ts'

/** What came of the attempt to confine runners here. */
export type RunnerConfinement =
  /** `first` is the runner in which it was seen to work. */
  | { readonly kind: 'walled'; readonly walls: RunnerWalls; readonly first: StartedRunner }
  | { readonly kind: 'open'; readonly failure: Unconfinable }

export interface RunnerConfinerSpec {
  /** The ways to try, the best one first; or why there are none. */
  readonly found: readonly RunnerWalls[] | Unconfinable
  /** Starts a runner within these walls. */
  start(walls: RunnerWalls): StartedRunner
  readonly readyTimeoutMs: number
  /** What bwrap itself said when it failed; may name folders of the host. */
  diagnose(text: string): void
}

const NO_ROOM = /EAGAIN|ENOMEM|EMFILE|ENFILE/

/**
 * Boots one runner in each of the ways to confine it, until one comes up within its walls.
 * Throws `ENGINE_UNAVAILABLE` when that says nothing about them: a machine under load must not be
 * taken for one that confines nothing.
 */
export async function tryWalls(spec: RunnerConfinerSpec): Promise<RunnerConfinement> {
  const { found, diagnose } = spec
  if ('reason' in found) return { kind: 'open', failure: found }
  let said = ''
  const failures: string[] = []
  for (const walls of found) {
    const runner = spec.start(walls)
    const timer = setTimeout(() => runner.kill('spawn', 'not ready in time'), spec.readyTimeoutMs)
    const isReady = await runner.ready.then(
      () => true,
      () => false,
    )
    clearTimeout(timer)
    if (isReady) return { kind: 'walled', walls, first: runner }
    const death = await runner.dead
    if (isPassing(death)) throw notStarted(death.detail)
    const { detail } = death
    said = [detail, runner.lastWords()].filter((text) => text !== '').join('; ')
    failures.push(`a runner does not start under bubblewrap (${walls.kind}): ${said}`)
  }
  // A way that another one stands in for is nobody's worry.
  for (const failure of failures) diagnose(failure)
  return { kind: 'open', failure: explainFailure(said, readKernelSetting) }
}

// Late, or ended from outside: with or without walls.
function isPassing({ signal, detail }: EngineDeath): boolean {
  return (signal !== undefined && !detail.startsWith(NOT_CONFINED)) || NO_ROOM.test(detail)
}

function notStarted(why: string): CaissonError {
  const text = `the sandbox runner did not start: ${why === '' ? 'it was ended' : why}`
  return new CaissonError('ENGINE_UNAVAILABLE', text)
}
