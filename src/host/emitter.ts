import { types } from 'node:util'
import { collectListeners, type Scope } from '../registry/scope.ts'
import { toThrownRecord } from '../../workers/shared/thrown.ts'

/** Tells listeners what has happened; none of them can break what it is told of. */
export interface Emitter {
  emit(scope: Scope, event: string, ...args: unknown[]): void
  /** Prints a diagnostic and tells listeners of `diagnostic`. */
  diagnose(text: string): void
}

/** Creates the emitter of a host whose top scope is `root`. */
export function createEmitter(root: Scope, logger: (line: string) => void): Emitter {
  const print = (text: string): void => {
    try {
      logger(text)
    } catch {
      // A logger that breaks has nowhere to say so, and must not end the call it was told about.
    }
  }
  const emit: Emitter['emit'] = (scope, event, ...args) => {
    for (const { fn, name } of collectListeners(scope, event)) {
      const failed = (thrown: unknown): void => {
        const text = `listener '${name}' of ${event} failed: ${toThrownRecord(thrown).message}`
        if (event !== 'diagnostic') diagnose(text)
        else print(text)
      }
      try {
        const answer: unknown = Reflect.apply(fn, undefined, args)
        if (types.isPromise(answer)) answer.catch(failed)
      } catch (thrown) {
        failed(thrown)
      }
    }
  }
  const diagnose = (text: string): void => {
    print(text)
    emit(root, 'diagnostic', text)
  }
  return { emit, diagnose }
}
