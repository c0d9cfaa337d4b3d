import type { Seat } from '../shared/conversation.ts'
import { converse } from './conversation.ts'
import type { RunnerProcess } from './runner-process.ts'
import type { StandInEnv } from './stand-ins.ts'

/** A runner held for one request. */
export interface RunnerSeat extends Seat {
  readonly runner: RunnerProcess
}

export interface SeatLimits {
  readonly frameBytes: number
  readonly cpuMs: number | undefined
  /** What preparing a context may take, in milliseconds. */
  readonly prepareTimeoutMs: number
  /** Gives out the stand-ins of secrets for one more request; undefined where there are none. */
  readonly standIns: (() => StandInTurn) | undefined
}

export interface StandInTurn {
  /** What the context sees that serves the request. */
  readonly now: StandInEnv
  /** The whole environment of the context that is prepared after it. */
  readonly env: Readonly<Record<string, string>>
}

/** Wraps a runner that the pool has lent; `back` takes it again. */
export function createRunnerSeat(
  runner: RunnerProcess,
  limits: SeatLimits,
  back: Pick<Seat, 'giveBack' | 'discard' | 'leaving'>,
): RunnerSeat {
  return {
    runner,
    isDead: () => runner.isDead,
    cpuMs: () => runner.cpuMs?.(),
    converse: (request, services) => converse(runner, limits, { request, services }),
    kill: (why) => runner.kill('killed', why),
    ...back,
  }
}
