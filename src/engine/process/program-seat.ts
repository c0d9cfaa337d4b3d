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
    isDead: seat.isDead,
    converse(request: RealmRequest, services?: CallServices) {
      if (services === undefined) return seat.converse(request)
      program.printTo(services, request.limits.logBytes)
      return seat.converse(
        request,
        beginningWith(services, () => program.letOut(services)),
      )
    },
    kill: seat.kill,
    giveBack: seat.giveBack,
    discard,
  }
}

/** The same services; `begin` is called first when the body is entered. */
function beginningWith(services: CallServices, begin: () => void): CallServices {
  return {
    bodyStarted() {
      begin()
      services.bodyStarted()
    },
    deferContext: (message) => services.deferContext(message),
    concludeTurn: () => services.concludeTurn(),
    log: (level, text) => services.log(level, text),
    logDropped: (entries) => services.logDropped(entries),
    progress: (update) => services.progress(update),
    lendSecrets: (standIns) => services.lendSecrets(standIns),
    request: (capability, payload) => services.request(capability, payload),
    tunnel: (request) => services.tunnel(request),
  }
}
