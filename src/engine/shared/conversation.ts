import type { CaissonError } from '../../errors/caisson-error.ts'
import type { CallServices } from '../../types/engine.ts'
import type { AbortReason, RealmRequest } from '../../../workers/isolate/protocol.ts'

/** Time one pure function of a definition may take, in milliseconds. */
export const PROJECTION_BUDGET_MS = 250

/** How what a tool ran in ended, as far as the host saw it. First cause wins. */
export interface EngineDeath {
  readonly cause:
    | 'killed'
    | 'memory'
    | 'cpu'
    | 'protocol'
    | 'output'
    | 'uncaught'
    | 'exit'
    | 'spawn'
    /** It shared a process with others, and that was ended for one of them. */
    | 'collateral'
  readonly exitCode?: number
  readonly signal?: string
  readonly detail: string
  readonly lifetimeMs: number
}

/** How a conversation ended. First cause wins. */
export type Ending =
  | { readonly by: 'settled'; readonly outcome: unknown }
  | { readonly by: 'died'; readonly death: EngineDeath }
  | { readonly by: 'failed'; readonly message: string }
  /** A projection passed its budget; what it ran in was killed for it. */
  | { readonly by: 'overran'; readonly stage: string }
  /** The place was not free after all; nothing was begun, and it may be given back. */
  | { readonly by: 'declined' }
  /** It was killed, but its death cannot be seen. */
  | { readonly by: 'unconfirmed' }

/** One request in progress: what it ended as, and whether it left its place in peace. */
export interface Conversation {
  readonly ending: Promise<Ending>
  /** Resolves to false when the place is not fit for another call; true at once where it looks itself. */
  readonly quiet: true | Promise<boolean>
  /** Whether the body has been entered. */
  started(): boolean
  /** When it was, by `performance.now()`; absent where nobody tells. */
  enteredAt?(): number | undefined
  /** What the host refused it, by reference. */
  refusals(): ReadonlyMap<string, CaissonError>
  /** Lets the body know that it is to stop. */
  abort(reason: AbortReason): void
  /** Ends the waiting for a death that does not come. */
  abandon(): void
  /** Whatever still comes of this call is ignored; its budgets no longer run. */
  end(): void
}

/** A place in an engine, held for one request. */
export interface Seat {
  isDead(): boolean
  /** CPU time of the place so far, in milliseconds; absent where nobody tells. */
  cpuMs?(): number | undefined
  /** Sends the request and listens until it settles or the place is dead. */
  converse(request: RealmRequest, services?: CallServices): Conversation
  /** The request has settled, and the place will be free in a moment. */
  leaving?(): void
  /** Ends the place at once, for a cause that no earlier one is replaced by. */
  kill(why: string): void
  /** Keeps the place for another call. */
  giveBack(): void
  /** Ends the place; resolves once it is dead. */
  discard(): Promise<void>
}
