import type { CallServices } from '../../types/engine.ts'
import type { RealmRequest } from '../../../workers/isolate/protocol.ts'
import { createRunnerSeat, type RunnerSeat, type SeatLimits } from '../isolate/seat.ts'
import type { NodeProgram } from './node-program.ts'

/** A program held for its one request; nobody gets it afterwards. */
export function createProgramSeat(
  program: NodeProgram,
  limits: SeatLimits,
  leave: () => void,
): RunnerSeat {
  const discard = async (): Promise<void> => {
    program.kill()
    await program.dead
    leave()
  }
  const seat = createRunnerSeat(program, limits, { giveBack: () => void discard(), discard })
  return {
    runner: program,
    get isDead() {
      return seat.isDead
    },
    converse(request: RealmRequest, services?: CallServices) {
      if (services === undefined) return seat.converse(request)
      program.printTo(services, request.limits.logBytes)
      return seat.converse(request, {
        ...services,
        bodyStarted() {
          program.letOut(services)
          services.bodyStarted()
        },
      })
    },
    kill: seat.kill,
    giveBack: seat.giveBack,
    discard,
  }
}
