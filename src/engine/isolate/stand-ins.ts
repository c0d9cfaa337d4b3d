import { createPlaceholder } from '../../sandbox/placeholder.ts'
import type { RunnerProcess } from './runner-process.ts'

/** Environment names of secrets, each with the stand-in that one context sees. */
export type StandInEnv = Readonly<Record<string, string>>

/** Stand-ins of secrets, new ones for every context, which a runner prepares ahead of its call. */
export interface StandIns {
  /** What the first context of a runner sees. */
  begin(runner: RunnerProcess): StandInEnv
  /** What the context sees that serves the next request, and the one that is prepared after it. */
  turn(runner: RunnerProcess): { readonly now: StandInEnv; readonly next: StandInEnv }
}

/**
 * Creates the stand-ins for the runners of one domain; `variables` are its secret names in `env`.
 * `kept`: a runner has one context, and with it the same ones for all of its calls.
 */
export function createStandIns(
  variables: readonly string[],
  { kept }: { readonly kept: boolean },
): StandIns {
  const prepared = new WeakMap<RunnerProcess, StandInEnv>()
  const begin = (runner: RunnerProcess): StandInEnv => {
    const made = Object.fromEntries(variables.map((name) => [name, createPlaceholder()]))
    prepared.set(runner, made)
    return made
  }
  return {
    begin,
    turn(runner) {
      const now = prepared.get(runner) ?? {}
      return { now, next: kept ? now : begin(runner) }
    },
  }
}
