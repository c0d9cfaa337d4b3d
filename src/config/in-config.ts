import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'

/** Runs `work`; what it throws of ours says in front where the settings are, such as a file. */
export function inConfig<T>(where: string | undefined, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw where !== undefined && isCaissonError(error) ? placeError(where, error) : error
  }
}

/** The same error, with the place of the settings in front of its text. */
export function placeError(where: string, error: CaissonError): CaissonError {
  const text = error.message.startsWith(`${where}: `) ? error.message : `${where}: ${error.message}`
  return new CaissonError(error.code, text, error.facts, { cause: error })
}
