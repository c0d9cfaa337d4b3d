import type { Seat } from './conversation.ts'

/** The same seat; `leave` is called once it is free. */
export function leaveWith<S extends Seat>(seat: S, leave: () => void): S {
  return {
    ...seat,
    giveBack() {
      seat.giveBack()
      leave()
    },
    discard() {
      const dead = seat.discard()
      leave()
      return dead
    },
  }
}
