import { createHash, randomUUID } from 'node:crypto'
import type { Execution } from '../../../types/call.ts'
import { toCanonicalJson } from '../../canonical-json.ts'
import type { DecisionSource, ModelNote } from '../journals/records.ts'
import type { CallPlace, PackHost } from '../host-seam.ts'
import type { AssessedCall } from '../types.ts'
import type { RootState, Roots } from './roots.ts'

/** One execution as the pack knows it, from its first step to its result. */
export interface DecidedCall {
  /** Of the journal; means nothing outside. */
  readonly id: string
  readonly exec: Execution
  readonly place: CallPlace
  readonly root: RootState
  readonly assessed: AssessedCall
  /** Digest of tool and real arguments. */
  readonly key: string
  /** Milliseconds of the clock. */
  readonly begun: number
  /** The last recorded decision. */
  source: DecisionSource | undefined
  /** The loop guard fired: a person has to look. */
  isLoop: boolean
  /** What questions say besides the reasons of the assessment. */
  readonly notes: string[]
  llm: ModelNote | undefined
}

/** All executions under way; an entry lives as long as its execution. */
export interface Executions {
  of(exec: Execution): DecidedCall
  /** The entry, if any step asked for it. */
  peek(exec: Execution): DecidedCall | undefined
}

export interface ExecutionsOptions {
  readonly host: Pick<PackHost, 'placeOf'>
  readonly roots: Roots
  readonly now: () => number
  /** Cached by the host: guards and pack see the same reading. */
  readonly assess: (exec: Execution) => AssessedCall
}

/** Creates the table. */
export function createExecutions({ host, roots, now, assess }: ExecutionsOptions): Executions {
  const table = new WeakMap<Execution, DecidedCall>()
  return {
    peek: (exec) => table.get(exec),
    of(exec) {
      const known = table.get(exec)
      if (known !== undefined) return known
      const place = host.placeOf(exec)
      const made: DecidedCall = {
        id: `x_${randomUUID()}`,
        exec,
        place,
        root: roots.of(place.root),
        assessed: assess(exec),
        key: toCallKey(exec),
        begun: now(),
        source: undefined,
        isLoop: false,
        notes: [],
        llm: undefined,
      }
      table.set(exec, made)
      return made
    },
  }
}

/** The same for the same tool with the same arguments, whatever the order of their keys. */
function toCallKey({ name, arguments: args }: Pick<Execution, 'name' | 'arguments'>): string {
  return createHash('sha256')
    .update(`${JSON.stringify(name)}${toCanonicalJson(args)}`)
    .digest('base64')
}
